template <class T> __global__ void child(T *a) { *a += 1; }
__device__ void go(float *a)
{
    if (a) {
        ns::child<
            float><<<dim3(1, (2, 1)), 32, 0, s>>>  (a); // k<<<1, 1>>>(a)
    }
}
int main() { child<float><<<1, 1>>>(0); }
