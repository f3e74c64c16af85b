/* Figures of real GPUs as they were published. What no source that was read has stays blank. */
#include <string.h>
#include "poise/table.h"
#include "studies/validate/microbench.h"

const char *const micro_gpus[MICRO_GPUS] = {"fermi", "kepler", "volta", "ampere"};
const struct micro_source micro_sources[] = {
    {"guide", "NVIDIA, CUDA C Programming Guide, table of throughputs of native arithmetic instructions (compute "
              "capability 2.0 for Fermi, 3.0 for Kepler, 7.x for Volta, 8.0 for Ampere)"},
    {"guide-latency", "the same guide, 4.2, multiprocessor level: about 22 cycles for compute capability 2.x"},
    {"arafa2019", "Arafa et al., Instructions' Latencies Characterization for NVIDIA GPGPUs, arXiv 1905.08778 (2019), "
                  "as the authors' PPT-GPU lists them"},
    {"jia2018", "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, arXiv 1804.06826 "
                "(2018), V100"},
    {"abdelkhalik2022", "Abdelkhalik et al., Demystifying the Nvidia Ampere Architecture through Microbenchmarking "
                        "and Instruction-level Analysis, arXiv 2208.11174 (2022), A100"},
    {"features2023", "table 3 of doi 10.1016/j.ultsonch.2023.106546: features of V100 and A100 (peaks)"},
    {"gpumembench", "gpumembench's output for a GTX 480 (peaks)"},
};
const size_t n_micro_sources = COUNT_OF(micro_sources);

#define P(name, gpu, value, source) {name, MICRO_##gpu, value, source},
/* Kepler and Volta of one source. */
#define KV(name, kepler, volta) P(name, KEPLER, kepler, "arafa2019") P(name, VOLTA, volta, "arafa2019")
/* Fermi and Kepler of the guide. */
#define FK(name, fermi, kepler) P(name, FERMI, fermi, "guide") P(name, KEPLER, kepler, "guide")
static const struct micro_published all[] = {
    /* clang-format off */
    P("lat_int_alu", FERMI, 22, "guide-latency") P("lat_fp_add", FERMI, 22, "guide-latency")
    KV("lat_int_alu", 9, 4) KV("lat_int_shift", 9, 4) KV("lat_int_mad", 9, 4) KV("lat_int_div", 149, 127)
    KV("lat_int_rem", 132, 125) KV("lat_popc", 9, 15) KV("lat_clz", 20, 5) KV("lat_cvt", 9, 4) KV("lat_shfl", 9, 4)
    KV("lat_fp_add", 9, 4) KV("lat_fp_mul", 9, 4) KV("lat_fp_fma", 9, 4) KV("lat_fp_rcp", 377, 60)
    KV("lat_fp_div", 418, 201) KV("lat_fp_sqrt", 432, 60) KV("lat_sfu_rsqrt", 40, 31) KV("lat_sfu_sin", 18, 11)
    KV("lat_sfu_ex2", 49, 22) KV("lat_dp_add", 10, 8) KV("lat_dp_fma", 10, 8) KV("lat_dp_div", 445, 159)
    P("lat_fp_add", AMPERE, 4, "abdelkhalik2022")
    KV("lat_shared", 26, 18) KV("lat_const", 16, 8) P("lat_shared", AMPERE, 23, "abdelkhalik2022")
    P("lat_l1", KEPLER, 32, "arafa2019") P("lat_l2", KEPLER, 188, "arafa2019") P("lat_dram", KEPLER, 331, "arafa2019")
    P("lat_l1", VOLTA, 28, "jia2018") P("lat_l2", VOLTA, 193, "jia2018") P("lat_dram", VOLTA, 375, "jia2018")
    P("lat_l1", AMPERE, 33, "abdelkhalik2022") P("lat_l2", AMPERE, 200, "abdelkhalik2022")
    P("lat_dram", AMPERE, 290, "abdelkhalik2022")
    FK("thr_int_alu", 32, 160) FK("thr_int_shift", 16, 32) FK("thr_int_mad", 16, 32) FK("thr_popc", 16, 32)
    FK("thr_clz", 16, 32) FK("thr_cvt", 16, 32) P("thr_shfl", KEPLER, 32, "guide")
    FK("thr_fp_add", 32, 192) FK("thr_fp_mul", 32, 192) FK("thr_fp_fma", 32, 192)
    FK("thr_sfu_rsqrt", 4, 32) FK("thr_sfu_sin", 4, 32) FK("thr_sfu_ex2", 4, 32)
    FK("thr_dp_add", 16, 8) FK("thr_dp_fma", 16, 8)
    P("thr_fp_add", VOLTA, 64, "guide") P("thr_fp_mul", VOLTA, 64, "guide") P("thr_fp_fma", VOLTA, 64, "guide")
    P("thr_dp_add", VOLTA, 32, "guide") P("thr_dp_fma", VOLTA, 32, "guide")
    P("thr_int_alu", AMPERE, 64, "guide") P("thr_int_mad", AMPERE, 64, "guide") P("thr_fp_add", AMPERE, 64, "guide")
    P("thr_fp_mul", AMPERE, 64, "guide") P("thr_fp_fma", AMPERE, 64, "guide") P("thr_sfu_rsqrt", AMPERE, 16, "guide")
    P("thr_sfu_sin", AMPERE, 16, "guide") P("thr_sfu_ex2", AMPERE, 16, "guide")
    P("thr_dp_add", AMPERE, 32, "features2023") P("thr_dp_fma", AMPERE, 32, "features2023")
    P("size_l2", FERMI, 768, "gpumembench") P("size_l2", VOLTA, 6144, "features2023")
    P("size_l2", AMPERE, 40960, "features2023")
    P("bw_dram_gb", FERMI, 182.4, "gpumembench") P("bw_dram_gb", VOLTA, 900, "features2023")
    P("bw_dram_gb", AMPERE, 1555, "features2023")
    /* clang-format on */
};

const struct micro_published *micro_published_of(const char *name, enum micro_gpu gpu)
{
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].gpu == gpu && strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}
