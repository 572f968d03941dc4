/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/file/file.h"

#include <sha2.h>
#include <string.h>

#include "image/file/image.h"

#define END 4096u

bool file_hash(const struct file *f, struct image_hash *hash)
{
    size_t end = f->size < END ? (size_t)f->size : END;
    uint8_t length[8], digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX sha;

    for (unsigned i = 0; i < sizeof length; i++)
        length[i] = (uint8_t)(f->size >> (56 - 8 * i));
    SHA256Init(&sha);
    SHA256Update(&sha, f->bytes, end);
    SHA256Update(&sha, f->bytes + f->size - end, end);
    SHA256Update(&sha, length, sizeof length);
    SHA256Final(digest, &sha);
    memcpy(hash->bytes, digest, sizeof hash->bytes);
    return true;
}
