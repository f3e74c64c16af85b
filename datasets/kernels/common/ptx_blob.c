/* The workload's PTX text, ended by a zero byte, inside the program: cuModuleLoadData takes it as it is. */
__asm__(".section .rodata\n"
        ".globl wl_ptx\n"
        ".type wl_ptx, @object\n"
        "wl_ptx:\n"
        ".incbin \"" WL_PTX_FILE "\"\n"
        ".byte 0\n"
        ".size wl_ptx, . - wl_ptx\n"
        ".previous\n");
extern const char wl_ptx[];
