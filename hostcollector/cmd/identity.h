/* SPDX-License-Identifier: BSD-2-Clause */
/* Is this the image that the guest runs? */
#ifndef TPROF_CMD_IDENTITY_H
#define TPROF_CMD_IDENTITY_H

#include <stdint.h>

#include "model/guest.h"
#include "render/remarks.h"
#include "symbolize/image.h"
#include "util/err.h"

/*
 * Compare what (g) says of itself with (img), by build-id or, where one of
 * them has none, by the CRC of text. (*slide) becomes how far the image was
 * moved at load.
 *
 * Returns 0, with a warning in (remarks) where doubts remain; -1 with (e)
 * naming both build-ids if they differ.
 */
int identity_check(const struct guest *g, const struct image *img,
                   uint64_t *slide, struct remarks *remarks, struct err *e);

#endif
