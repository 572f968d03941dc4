/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/mcp/mcp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "fleet/mcp/mcp_parts.h"

#define LINE_MAX_BYTES (1u << 20)
#define ANSWER_COLUMNS 80

/* Errors of JSON-RPC. */
enum rpc_error {
    RPC_NO_JSON = -32700,
    RPC_NO_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_NO_ARGUMENTS = -32602,
};

/* Versions of the protocol, the newest first. A client that speaks another
 * version is told the first. */
static const char *const versions[] = {"2025-06-18", "2025-03-26",
                                       "2024-11-05"};

void mcp_ask_options(const struct mcp_ask *ask, struct options *o)
{
    const struct guest_config *from = &ask->config->from;

    o->from.input = ask->recording;
    o->from.memory = from->memory;
    o->from.sandbox = from->sandbox;
    memcpy(o->from.symbols, from->symbols, sizeof from->symbols);
    o->from.symbols_count = from->symbols_count;
    o->shown.function = ask->function;
    o->shown.thread = ask->thread;
    o->shown.top = ask->rows;
    o->output.columns = ANSWER_COLUMNS;
    o->output.colour = COLOUR_NEVER;
    o->output.quiet = true;
}

/* Write (message), which is released, as a line. */
static void send(json_t *message)
{
    char *text = message != NULL
                     ? json_dumps(message, JSON_COMPACT | JSON_PRESERVE_ORDER)
                     : NULL;

    if (text != NULL) {
        (void)puts(text);
        (void)fflush(stdout);
    }
    free(text);
    json_decref(message);
}

static void send_result(json_t *id, json_t *result)
{
    send(json_pack("{ss sO so}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void send_error(json_t *id, enum rpc_error code, const char *why)
{
    send(json_pack("{ss so s{si ss}}", "jsonrpc", "2.0", "id",
                   id != NULL ? json_incref(id) : json_null(), "error", "code",
                   (int)code, "message", why));
}

static json_t *introduce(const json_t *params)
{
    const char *asked =
        json_string_value(json_object_get(params, "protocolVersion"));
    const char *version = versions[0];

    for (size_t i = 0; asked != NULL && i < sizeof versions / sizeof *versions;
         i++)
        if (strcmp(asked, versions[i]) == 0)
            version = versions[i];
    return json_pack(
        "{ss s{s{}} s{ss ss} ss}", "protocolVersion", version, "capabilities",
        "tools", "serverInfo", "name", "tprof", "version", COLLECTOR_VERSION,
        "instructions",
        "Reads profiles of unikernels. Begin with list_recordings or report. "
        "Name each share with its error (+-), and with the number of samples. "
        "A change is real only where diff lists the change.");
}

static void call_tool(const struct mcp_config *c, json_t *id,
                      const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    struct mcp_answer *a = calloc(1, sizeof *a);
    struct err e = {"which tool? params needs a name"};

    if (a == NULL || name == NULL ||
        mcp_tools_call(a, c, name, json_object_get(params, "arguments"), &e) !=
            0)
        send_error(id, RPC_NO_ARGUMENTS, e.text);
    else
        send_result(id, json_pack("{s[{ss ss}] sb}", "content", "type", "text",
                                  "text", a->text, "isError", a->failed));
    free(a);
}

static void answer(const struct mcp_config *c, json_t *id, const char *method,
                   const json_t *params)
{
    if (strcmp(method, "initialize") == 0)
        send_result(id, introduce(params));
    else if (strcmp(method, "ping") == 0)
        send_result(id, json_object());
    else if (strcmp(method, "tools/list") == 0)
        send_result(id, mcp_tools_list());
    else if (strcmp(method, "tools/call") == 0)
        call_tool(c, id, params);
    else
        send_error(id, RPC_NO_METHOD, "no such method");
}

/* Read and answer one line. A message without an id is a notice and has no
 * answer. */
static void take_line(const struct mcp_config *c, const char *line,
                      size_t length)
{
    json_t *message = json_loadb(line, length, JSON_ALLOW_NUL, NULL);
    json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));

    if (message == NULL)
        send_error(NULL, RPC_NO_JSON, "no JSON");
    else if (method == NULL ||
             (id != NULL && !json_is_string(id) && !json_is_integer(id)))
        send_error(NULL, RPC_NO_REQUEST, "no request of JSON-RPC");
    else if (id != NULL)
        answer(c, id, method, json_object_get(message, "params"));
    json_decref(message);
}

int mcp_run(const struct mcp_config *c)
{
    char *line = malloc(LINE_MAX_BYTES);
    int result = EXIT_DONE;

    while (line != NULL && fgets(line, LINE_MAX_BYTES, stdin) != NULL) {
        size_t length = strlen(line);

        if (length + 1 == LINE_MAX_BYTES && line[length - 1] != '\n') {
            (void)fputs("collector mcp: a message of more than 1 MiB\n",
                        stderr);
            result = EXIT_FAILED;
            break;
        }
        if (strspn(line, " \t\r\n") != length)
            take_line(c, line, length);
    }
    if (line == NULL || ferror(stdin)) {
        (void)fprintf(stderr, "collector mcp: standard input: %s\n",
                      strerror(errno));
        result = EXIT_FAILED;
    }
    free(line);
    return result;
}
