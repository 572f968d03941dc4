/* SPDX-License-Identifier: BSD-2-Clause */
/* rounds DOMAIN ADDRESS CORES: the counts that kernel.c keeps for each core at
 * ADDRESS, which is a physical one. One number a core. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <xenforeignmemory.h>

#define PAGE 4096u
#define LINE 64u /* bytes between the counts of two cores */

int main(int argc, char **argv)
{
    xenforeignmemory_handle *memory = xenforeignmemory_open(NULL, 0);

    if (argc != 4 || memory == NULL)
        return 2;
    uint64_t address = strtoull(argv[2], NULL, 16);

    for (uint64_t i = 0; i < strtoull(argv[3], NULL, 10); i++) {
        uint64_t at = address + i * LINE;
        xen_pfn_t page = at / PAGE;
        int error = 0;
        const char *bytes =
            xenforeignmemory_map(memory, (uint32_t)strtoul(argv[1], NULL, 10),
                                 PROT_READ, 1, &page, &error);

        if (bytes == NULL || error != 0)
            return 1;
        printf("%" PRIu64 "\n",
               *(const uint64_t *)(const void *)(bytes + at % PAGE));
    }
    return 0;
}
