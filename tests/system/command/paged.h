/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of collector serve's page share: it runs in a folder of the case's
 * own, where its standard error is the file "err". */
#ifndef TPROF_PAGED_H
#define TPROF_PAGED_H

#include <netinet/in.h>

#include "command.h"

/* For 20 ms. */
void rest(void);

/* Enter a folder, with a folder "run" in it. Ends the case if this collector
 * has no page. */
void need_page(void);

/* Where the page is by the line in the file "err". */
struct sockaddr_in address(void);

/* Does anybody listen there? The descriptor of a connection; -1: no. */
int reach(const struct sockaddr_in *at);

/* What is answered at (path) to a request with (headers), in the file "answer";
 * nothing if the process that answers ends meanwhile. */
void ask_with(const char *path, const char *headers);
void ask(const char *path);

/* Ask for (path) until the answer has (what). */
void ask_until(const char *path, const char *what);

#endif
