#define K k<<<1, 1>>> \
    (a)
__device__ void f() { char c = '"'; const char *s = "}<<<"; /* }}} */ k<<<1; k<<<(1, 1>>>(a); <<<1, 1>>>(a); }
} } }
