/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main() of a fuzz target where there is no libFuzzer: feeds it each file of
 * the directories (and each file) named as arguments, once.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int inputs;

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;

    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size < 0) {
        perror(path);
        exit(1);
    }
    rewind(f);
    /* exactly as long as the input, so that a sanitizer sees reads past it */
    uint8_t *data = malloc((size_t)size);
    if ((!data && size > 0) ||
        fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "%s: cannot read\n", path);
        exit(1);
    }
    fclose(f);
    printf("%s\n", path); /* the last line names the input that crashed */
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    inputs++;
}

static void replay_dir(const char *path)
{
    DIR *dir = opendir(path);
    char name[4096];

    if (!dir) {
        perror(path);
        exit(1);
    }
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        if (d->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, d->d_name);
        replay_file(name);
    }
    closedir(dir);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat st;

        if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
            replay_dir(argv[i]);
        else
            replay_file(argv[i]);
    }
    printf("%d inputs\n", inputs);
    return inputs ? 0 : 1; /* an empty corpus tests nothing */
}
