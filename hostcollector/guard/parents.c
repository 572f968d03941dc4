/* SPDX-License-Identifier: BSD-2-Clause */
#include "guard/parents.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int parents_make(char *path, mode_t mode)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int result = mkdir(path, mode);

        *slash = '/';
        if (result != 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}
