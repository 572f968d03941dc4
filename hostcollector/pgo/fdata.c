/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes samples without branches for llvm-bolt. */
#include "pgo/pgo_part.h"

#include <inttypes.h>

/*
 * The format is "no_lbr", then a line for each address: 1, the symbol, the
 * offset in the symbol, and the samples. The name of a local symbol ends with a
 * slash and a number. See bolt/Profile/DataReader.h of LLVM.
 */

static void write_fdata(struct render *to, const struct report *r)
{
    const struct sample_profile *s = r->sample_profile;

    if (s == NULL) /* no samples */
        return;
    (void)fputs("no_lbr\n", to->out);
    for (size_t i = 0; i < s->address_count; i++) {
        const struct sampled_address *a = &s->addresses[i];

        (void)fprintf(to->out, "1 %s", a->function);
        if (a->local != 0)
            (void)fprintf(to->out, "/%" PRIu32, a->local);
        (void)fprintf(to->out, " %" PRIx64 " %" PRIu64 "\n", a->offset,
                      a->samples);
    }
}

const struct render_ops render_fdata = {
    .name = "fdata", .suffix = "fdata", .write = write_fdata};
