#define ROOM static __shared__ alignas(16)
#pragma unroll
{ }
#pragma unroll (0)
extern __shared__ alignas (alignof(int)) float x[]; const volatile alignas(8) int y;
int main() { k<int> << <g, (b > 1)>> >(p); j < << 1 >>
>(5); RUN <<<1, 1>> >(); puts(R"q(k << <1>> >())q"); } // << <
