/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what a recording holds, for bench_agent.sh:
 *
 *     bench_agent RECORDING        bytes BYTES samples SAMPLES lost LOST
 *
 * BYTES are all that came from the guest; LOST are ticks without a sample.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../support/run_alone.h"
#include "guest/pipeline.h"

static int print_sums(const struct profile *p)
{
    uint64_t samples = 0;
    uint64_t ticks = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        samples += p->cores[i].account.samples;
        ticks += account_ticks(&p->cores[i].account);
    }
    printf("bytes %" PRIu64 " samples %" PRIu64 " lost %" PRIu64 "\n",
           p->health.bytes, samples, ticks - samples);
    return samples > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct pipeline_config config = {0};
    enum pipeline_end end;
    struct err e = {""};

    if (argc != 2) {
        fprintf(stderr, "usage: bench_agent RECORDING\n");
        return 2;
    }
    struct source *source = source_replay(argv[1], &e);
    struct pipeline *p = source ? pipeline_new(source, &config, &e) : NULL;
    int status = 1;

    if (p && run_alone(p, 0, -1, &end, &e) == 0 && pipeline_profile(p))
        status = print_sums(pipeline_profile(p));
    else
        fprintf(stderr, "bench_agent: %s\n", e.text);
    pipeline_free(p);
    return status;
}
