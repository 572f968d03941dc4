/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector mcp: answers the questions of a developer's assistant about
 * recordings. The assistant's program starts the command, and speaks the Model
 * Context Protocol with it: a JSON object on each line of standard input and
 * standard output.
 *
 * The program that asks has the user's rights already. Recordings and images
 * may come from strangers, so each answer is written by a process of its own,
 * which confines itself before it reads the first byte.
 */
#ifndef TPROF_FLEET_MCP_MCP_H
#define TPROF_FLEET_MCP_MCP_H

#include "cli/options.h"
#include "util/err.h"

struct mcp_config;

/* A question, whose answer a command writes. Text is NULL where the question
 * does not name it. */
struct mcp_ask {
    const struct mcp_config *config;
    const char *recording; /* a path; NULL: windows of the spool */
    const char *after;     /* diff: the recording to compare with */
    const char *guest;     /* windows of the spool: of this guest */
    const char *since, *until, *at;
    const char *function; /* a function's name or a part of it */
    const char *thread;   /* report: samples of these threads alone */
    const char *image;    /* check: a path */
    uint32_t rows;        /* most rows of a table */
};

/* Write the answer of a command to standard output. Called in a process of its
 * own, which the function confines. Returns an enum exit_code. */
typedef int (*mcp_command)(const struct mcp_ask *ask);

struct mcp_config {
    struct guest_config from; /* images, memory and sandbox */
    struct option_words folders;
    const char *spool; /* a folder of windows; NULL: none */
    mcp_command report, annotate, diff, check;
};

/* Answer questions until standard input ends. Returns an enum exit_code. */
int mcp_run(const struct mcp_config *c);

/* Fill (o), which has the defaults, for the answer to (ask). */
void mcp_ask_options(const struct mcp_ask *ask, struct options *o);

#endif
