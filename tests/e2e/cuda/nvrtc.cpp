/* Kernels that are compiled while the program runs: a template by a name expression, a header that comes with the
 * source, one that lies beside it, an assertion without a header, what does not compile, what is no option; two sources
 * that are linked, and what does not link. */
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static const char source[] = "#include <numbers/factor.h>\n"
                             "namespace n { template <class T> __global__ void scale(T *x, int size) {\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < size) x[i] = x[i] * FACTOR + (T)ADDED; } }\n"
                             "__device__ int counter = 7;\n";

static std::string log_of(nvrtcProgram p)
{
    size_t size;
    CHECK(!nvrtcGetProgramLogSize(p, &size));
    std::vector<char> text(size);
    CHECK(!nvrtcGetProgramLog(p, text.data()));
    return text.data();
}

/* Headers are looked for beside the source, unless an option forbids it; assert needs none. */
static void headers_beside_the_source(const char *program)
{
    const std::string path(program), folder = path.substr(0, path.find_last_of('/') + 1);
    const char *const no = "--no-source-include";
    nvrtcProgram p;
    FILE *header = fopen((folder + "nvrtc_beside.h").c_str(), "w");
    CHECK(header && fputs("#define MOST 7\n", header) >= 0 && !fclose(header));
    const char text[] = "#include \"nvrtc_beside.h\"\nextern \"C\" __global__ void k(int n) { assert(n < MOST); }\n";
    CHECK(!nvrtcCreateProgram(&p, text, (folder + "beside.cu").c_str(), 0, NULL, NULL));
    if (nvrtcCompileProgram(p, 0, NULL)) printf("%s\n", log_of(p).c_str()), exit(1);
    CHECK(!nvrtcDestroyProgram(&p));
    CHECK(!nvrtcCreateProgram(&p, text, (folder + "beside.cu").c_str(), 0, NULL, NULL));
    CHECK(nvrtcCompileProgram(p, 1, &no) == NVRTC_ERROR_COMPILATION && !nvrtcDestroyProgram(&p));
    CHECK(!remove((folder + "nvrtc_beside.h").c_str()));
}

static std::string part(const char *text)
{
    const char *const options[] = {"-dlto", "--relocatable-device-code=true"};
    nvrtcProgram p;
    size_t size;
    CHECK(!nvrtcCreateProgram(&p, text, "part.cu", 0, NULL, NULL));
    if (nvrtcCompileProgram(p, 2, options)) printf("%s\n", log_of(p).c_str()), exit(1);
    CHECK(!nvrtcGetLTOIRSize(p, &size));
    std::vector<char> ir(size);
    CHECK(!nvrtcGetLTOIR(p, ir.data()) && !nvrtcDestroyProgram(&p));
    return std::string(ir.data(), size);
}
static std::string link_log(nvJitLinkHandle l)
{
    size_t size;
    CHECK(!nvJitLinkGetErrorLogSize(l, &size));
    std::vector<char> text(size + 1);
    CHECK(!nvJitLinkGetErrorLog(l, text.data()));
    return text.data();
}
/* A kernel and the function that it calls, from two sources, the first of them in a file. */
static void link_two(const std::string &file)
{
    const std::string caller = part("extern __device__ int more(int); extern \"C\" __global__ void k(int *x) { *x = more(*x); }"),
                      called = part("__device__ int more(int x) { return x + 35; }");
    const char *options[] = {"-lto", "-arch=sm_75"}, *wrong = "-no-such";
    nvJitLinkHandle l;
    CUmodule module;
    CUfunction k;
    CUdeviceptr x;
    size_t size;
    int value = 7;
    CHECK(nvJitLinkCreate(&l, 1, options) == NVJITLINK_ERROR_MISSING_ARCH);
    CHECK(nvJitLinkCreate(&l, 1, &wrong) == NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
    CHECK(!nvJitLinkCreate(&l, 2, options));
    FILE *out = fopen(file.c_str(), "wb");
    CHECK(out && fwrite(caller.data(), 1, caller.size(), out) == caller.size() && !fclose(out));
    CHECK(!nvJitLinkAddFile(l, NVJITLINK_INPUT_LTOIR, file.c_str()) && !remove(file.c_str()));
    CHECK(!nvJitLinkAddData(l, NVJITLINK_INPUT_LTOIR, (void *)called.data(), called.size(), "called"));
    CHECK(nvJitLinkGetLinkedCubinSize(l, &size) == NVJITLINK_ERROR_INVALID_INPUT);
    CHECK(!nvJitLinkComplete(l) && !nvJitLinkGetErrorLogSize(l, &size) && size == 0);
    CHECK(!nvJitLinkGetLinkedCubinSize(l, &size));
    std::vector<char> image(size);
    CHECK(!nvJitLinkGetLinkedCubin(l, image.data()) && !nvJitLinkDestroy(&l));
    CHECK(!cuModuleLoadData(&module, image.data()) && !cuModuleGetFunction(&k, module, "k"));
    CHECK(!cuMemAlloc(&x, 4) && !cuMemcpyHtoD(x, &value, 4));
    void *arguments[] = {&x};
    CHECK(!cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0) && !cuMemcpyDtoH(&value, x, 4) && value == 42);
    CHECK(!nvJitLinkCreate(&l, 2, options)); /* the same function twice */
    CHECK(!nvJitLinkAddData(l, NVJITLINK_INPUT_ANY, (void *)called.data(), called.size(), "called"));
    CHECK(!nvJitLinkAddData(l, NVJITLINK_INPUT_ANY, (void *)called.data(), called.size(), "called"));
    CHECK(nvJitLinkComplete(l) && link_log(l).find("more") != std::string::npos && !nvJitLinkDestroy(&l));
    CHECK(!nvJitLinkCreate(&l, 2, options)); /* a file that is not there */
    CHECK(nvJitLinkAddFile(l, NVJITLINK_INPUT_PTX, file.c_str()) && link_log(l).find(file) != std::string::npos);
    CHECK(!nvJitLinkDestroy(&l));
}

/* With an argument only the template. */
int main(int argc, char **argv)
{
    if (argc == 1) headers_beside_the_source(argv[0]);
    const char *header = "#define FACTOR 3\n", *header_name = "numbers/factor.h", *name = NULL, *variable = NULL;
    const char *const options[] = {"--gpu-architecture=compute_75", "--std=c++14", "-DADDED=5"}, *const wrong[] = {"--no-such-option"};
    nvrtcProgram p;
    int major, minor;
    CHECK(!nvrtcVersion(&major, &minor) && major >= 12);
    CHECK(!nvrtcCreateProgram(&p, source, "scale.cu", 1, &header, &header_name));
    CHECK(!nvrtcAddNameExpression(p, "n::scale<double>") && !nvrtcAddNameExpression(p, "&counter"));
    CHECK(nvrtcGetLoweredName(p, "&counter", &name) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    if (nvrtcCompileProgram(p, 3, options)) printf("%s\n", log_of(p).c_str()), exit(1);
    CHECK(!nvrtcGetLoweredName(p, "n::scale<double>", &name) && !nvrtcGetLoweredName(p, "&counter", &variable));
    CHECK(nvrtcGetLoweredName(p, "n::scale<int>", &variable) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    size_t size;
    CHECK(!nvrtcGetCUBINSize(p, &size));
    std::vector<char> image(size);
    CHECK(!nvrtcGetCUBIN(p, image.data()));

    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr x, counter;
    size_t bytes;
    double host[100];
    int n = 100, count = 0;
#if CUDA_VERSION >= 13000 || defined(POISE_CUDA_DRIVER_API_H) /* ours has both forms */
    CUctxCreateParams kind = {};
    CHECK(!cuInit(0) && !cuDeviceGet(&device, 0) && !cuCtxCreate(&context, &kind, 0, device) && !cuCtxDestroy(context));
#endif
    CHECK(!cuInit(0) && !cuDeviceGet(&device, 0) && !cuDevicePrimaryCtxRetain(&context, device) && !cuCtxSetCurrent(context));
    CHECK(!cuModuleLoadData(&module, image.data()) && !cuModuleGetFunction(&function, module, name));
    CHECK(!cuModuleGetGlobal(&counter, &bytes, module, variable) && bytes == 4);
    CHECK(!cuMemcpyDtoH(&count, counter, 4) && count == 7);
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(!cuMemAlloc(&x, sizeof host) && !cuMemcpyHtoD(x, host, sizeof host));
    void *arguments[] = {&x, &n};
    CHECK(!cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, 0, arguments, 0) && !cuMemcpyDtoH(host, x, sizeof host));
    for (int i = 0; i < n; i++) CHECK(host[i] == 3 * i + 5);
    CHECK(!nvrtcDestroyProgram(&p) && !p);
    if (argc > 1) return puts("ok"), 0;

    CHECK(!nvrtcCreateProgram(&p, "__global__ void f() { return 1 }", "broken.cu", 0, NULL, NULL));
    CHECK(nvrtcCompileProgram(p, 0, NULL) == NVRTC_ERROR_COMPILATION && log_of(p).find("broken.cu") != std::string::npos);
    CHECK(!nvrtcDestroyProgram(&p));
    CHECK(!nvrtcCreateProgram(&p, "__global__ void f() {}", NULL, 0, NULL, NULL));
    CHECK(nvrtcCompileProgram(p, 1, wrong) == NVRTC_ERROR_INVALID_OPTION && log_of(p).find("no-such-option") != std::string::npos);
    CHECK(!nvrtcDestroyProgram(&p));
    link_two(std::string(argv[0]) + ".part");
    printf("ok\n");
    return 0;
}
