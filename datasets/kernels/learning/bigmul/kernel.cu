// bigmul: products of long integers, column by column (P. Comba, IBM Systems Journal 1990), as batches of RSA and of
// exact arithmetic have them. A thread owns a product; limb i of all numbers lies together.
#include "cuda_device.h"

extern "C" __global__ void big_mul(const u32 *a, const u32 *b, u32 *products, u32 limbs, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    a += thread;
    b += thread;
    products += thread;
    unsigned long long sum = 0;
#pragma unroll 1
    for (u32 k = 0; k < 2 * limbs - 1; k++, products += n) {
        u32 first = k < limbs ? 0 : k - limbs + 1, carries = 0;
        const u32 *up = a + first * n, *down = b + (k - first) * n;
#pragma unroll 1
        for (u32 left = k - 2 * first + 1; left != 0; left--, up += n, down -= n) {
            unsigned long long product = (unsigned long long)*up * *down;
            sum += product;
            carries += sum < product;
        }
        *products = (u32)sum;
        sum = sum >> 32 | (unsigned long long)carries << 32;
    }
    *products = (u32)sum;
}
