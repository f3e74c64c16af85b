/* Stands in front of libcu++'s own, which holds back instructions that clang's assembler would refuse; there is none
 * here. */
#include_next <cuda/std/__cccl/ptx_isa.h>
#undef __cccl_ptx_isa
#define __cccl_ptx_isa 870ULL
