__global__ void child(int *a) { a[threadIdx.x]++; }
__global__ void parent(int *a) { child<<<1, 32>>>(a); }
