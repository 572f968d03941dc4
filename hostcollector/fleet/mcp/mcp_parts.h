/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of collector mcp: files that may be asked about, processes that answer,
 * and tools. */
#ifndef TPROF_FLEET_MCP_MCP_PARTS_H
#define TPROF_FLEET_MCP_MCP_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "fleet/mcp/mcp.h"

/* mcp_files.c: the recordings and guests that an assistant may ask about. */

/* Zeroed: none. */
struct mcp_files {
    struct mcp_file {
        char *path;
        time_t written;
        uint64_t bytes;
    } * list; /* the newest first */
    size_t count, room;
    size_t left; /* files beyond the most that are listed */
};

/* List the recordings in the folders of (c) and below. Links are not followed.
 * Returns 0; -1 with (e) filled. */
int mcp_files_find(struct mcp_files *f, const struct mcp_config *c,
                   struct err *e);

/* Return the path of the recording (name), or of the newest one if (name) is
 * NULL. NULL with (e) filled if (f) has none. */
const char *mcp_files_path(const struct mcp_files *f, const char *name,
                           struct err *e);

/* Release what (f) holds. */
void mcp_files_fini(struct mcp_files *f);

/* Write to (out) the recordings of (f), the guests in the spool, and the images
 * of (c). */
void mcp_files_write(FILE *out, const struct mcp_files *f,
                     const struct mcp_config *c);

/* mcp_answer.c: runs a command for an answer, in a process of its own. */

/* Most bytes of an answer: below 2,000 tokens, at the 3.3 bytes of tables and
 * names that a token has. */
#define MCP_ANSWER_MAX 6000

/* Zeroed: none. */
struct mcp_answer {
    char text[MCP_ANSWER_MAX + 256]; /* of UTF-8, with room for a last line */
    bool failed;
};

/* Run (command) for (ask). The text has the command's output and messages, and
 * says so if either was cut. */
void mcp_answer_run(struct mcp_answer *a, mcp_command command,
                    const struct mcp_ask *ask);

/* Store the text in the file (fd), cut at a line if it is too long. */
void mcp_answer_take(struct mcp_answer *a, int fd);

/* Store an error, for example "no such tool". */
void mcp_answer_refuse(struct mcp_answer *a, const struct err *e);

/* mcp_tools.c: the tools that an assistant may call, and their arguments. */

/* Returns the list of tools, as the answer to "tools/list"; NULL if there is no
 * memory. */
json_t *mcp_tools_list(void);

/*
 * Call the tool (name) with (arguments), an object or NULL, and store its
 * answer. Returns 0; -1 with (e) filled if there is no such tool, or if an
 * argument is unknown or of another type. The tool's own errors are answers.
 */
int mcp_tools_call(struct mcp_answer *a, const struct mcp_config *c,
                   const char *name, const json_t *arguments, struct err *e);

#endif
