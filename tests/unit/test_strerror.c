/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors in words: one line each, and none for two. */
#include <string.h>

#include "check.h"
#include "tprof/tprof.h"

TEST(strerror_has_a_line_for_each_error) /* catches: a code that is new */
{
    const char *unknown = tprof_strerror(TPROF_ERR_CLOCK - 1);

    for (int a = TPROF_OK; a >= TPROF_ERR_CLOCK; a--) {
        CHECK(strcmp(tprof_strerror(a), unknown) != 0);
        CHECK(strpbrk(tprof_strerror(a), "\r\n\t") == NULL);
        for (int b = TPROF_OK; b > a; b--)
            CHECK(strcmp(tprof_strerror(a), tprof_strerror(b)) != 0);
    }
}

TEST(strerror_knows_no_positive_errors)
{
    CHECK(strcmp(tprof_strerror(1), tprof_strerror(TPROF_ERR_CLOCK - 1)) == 0);
}

/* catches: a kernel of the higher half that is told to add a device which it
 * has, as LK was */
TEST(strerror_knows_the_higher_half)
{
    CHECK(strstr(tprof_strerror(TPROF_ERR_DEVICE), "config.physical") != NULL);
    CHECK(strstr(tprof_strerror(TPROF_ERR_DEVICE_UNMAPPED), "config.map") !=
          NULL);
    CHECK(strstr(tprof_strerror(TPROF_ERR_APIC_UNMAPPED), "config.map") !=
          NULL);
}

TEST(strerror_names_each_way_past_full_gates) /* catches: one way alone */
{
    const char *full = tprof_strerror(TPROF_ERR_VECTOR);

    CHECK(strstr(full, "config.install_vector") != NULL);
    CHECK(strstr(full, "config.timer") != NULL);
}

TEST(strerror_keeps_the_pics) /* catches: a kernel that loses its timer */
{
    CHECK(strstr(tprof_strerror(TPROF_ERR_APIC_OFF), "LINT0") != NULL);
}
