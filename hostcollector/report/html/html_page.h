/* SPDX-License-Identifier: BSD-2-Clause */
/* The page that the build makes of html/page/: the HTML before the first
 * block. */
#ifndef TPROF_REPORT_HTML_HTML_PAGE_H
#define TPROF_REPORT_HTML_HTML_PAGE_H

#include <stddef.h>

extern const unsigned char html_page[];
extern const size_t html_page_size;

#endif
