/* SPDX-License-Identifier: BSD-2-Clause */
/* No pages by HTTP, since libmicrohttpd was missing when this was built. */
#include "fleet/serve/web_process.h"

#include <stddef.h>

int web_process_start(const struct serve_config *o, struct status *s,
                      const struct serve_images *images, struct err *e)
{
    (void)images;
    (void)s;
    return o->listen == NULL
               ? 0
               : err_set(e,
                         "--listen %s: this collector was built without "
                         "libmicrohttpd (Debian: libmicrohttpd-dev)",
                         o->listen);
}
