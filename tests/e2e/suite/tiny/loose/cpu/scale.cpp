// The same without a GPU.
#include <cstdio>
int main(int argc, char **argv)
{
    float x;
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!in) return 1;
    for (int i = 0; fscanf(in, "%f", &x) == 1; i++) printf("%d %.3f\n", i, 1.5f * x);
    fclose(in);
    return 0;
}
