static __global__ void twice_kernel(float4 *x, int n)
{
    const int i = threadIdx.x;
    if (i < n) x[i] = make_float4(2 * x[i].x, 2 * x[i].y, 2 * x[i].z, 2 * x[i].w);
}
void twice(float4 *x, int n, cudaStream_t stream) { twice_kernel<<<1, 64, 0, stream>>>(x, n); }
