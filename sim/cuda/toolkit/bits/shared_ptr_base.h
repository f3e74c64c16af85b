/* libstdc++ spells an attribute __noinline__, which CUDA has as a specifier. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
