/* Runs every file of the folders named on the command line through a fuzz target once: the seed corpus as a plain
 * test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) return perror(path), 0;
    uint8_t *data = malloc(1 << 24);
    const size_t size = data ? fread(data, 1, 1 << 24, in) : 0;
    fclose(in);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int seeds = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **list;
        const int n = scandir(argv[i], &list, NULL, alphasort);
        for (int k = 0; k < n; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], list[k]->d_name);
            if (list[k]->d_name[0] != '.') seeds += replay_file(path);
            free(list[k]);
        }
        if (n >= 0) free(list);
    }
    printf("%d seeds\n", seeds);
    return seeds > 0 ? 0 : 1;
}
