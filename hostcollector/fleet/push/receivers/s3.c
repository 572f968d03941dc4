/* SPDX-License-Identifier: BSD-2-Clause */
/* An object store that speaks S3: an object for each window. */
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/stores/report_window.h"
#include "fleet/push/receivers/receiver_kinds.h"

static const char *from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : otherwise;
}

/* Write the SHA-256 of (file) as hexadecimal digits. libcurl signs the request
 * with it (AWS SigV4). */
static void digest(FILE *file, char hex[SHA256_DIGEST_STRING_LENGTH])
{
    uint8_t buf[1 << 14], sum[SHA256_DIGEST_LENGTH];
    SHA2_CTX c;
    size_t n;

    SHA256Init(&c);
    rewind(file);
    while ((n = fread(buf, 1, sizeof buf, file)) > 0)
        SHA256Update(&c, buf, n);
    SHA256Final(sum, &c);
    window_hex(hex, sum, sizeof sum);
}

/* Append "/" and each part of (name), escaped. */
static void add_path(char url[URL_ROOM], char *name)
{
    size_t length = strlen(url);

    while (length > 0 && url[length - 1] == '/')
        url[--length] = '\0';
    for (char *rest = NULL, *part = strtok_r(name, "/", &rest); part != NULL;
         part = strtok_r(NULL, "/", &rest)) {
        (void)snprintf(url + strlen(url), 2, "/");
        (void)http_escape(url, URL_ROOM, part);
    }
}

static enum receiver_answer put_object(struct receiver *r,
                                       const struct parcel *p, size_t part,
                                       struct err *e)
{
    const char *token = from_environment("AWS_SESSION_TOKEN", NULL);
    char url[URL_ROOM], name[PARCEL_NAME], sign[128], user[512];
    char sum[128] = "x-amz-content-sha256: ", session[4096];
    struct http_request request = {.url = url,
                                   .method = "PUT",
                                   .sign = sign,
                                   .user = user,
                                   .body = p->parts[part]};

    (void)snprintf(
        sign, sizeof sign, "aws:amz:%s:s3",
        from_environment("AWS_REGION",
                         from_environment("AWS_DEFAULT_REGION", "us-east-1")));
    (void)snprintf(user, sizeof user, "%s:%s",
                   from_environment("AWS_ACCESS_KEY_ID", ""),
                   from_environment("AWS_SECRET_ACCESS_KEY", ""));
    if (user[0] == ':') {
        (void)err_set(e, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not "
                         "in the environment");
        return RECEIVER_WRONG;
    }
    digest(p->parts[part], sum + strlen(sum));
    request.headers[0] = "Content-Type: application/octet-stream";
    request.headers[1] = sum;
    if (token != NULL) {
        (void)snprintf(session, sizeof session, "x-amz-security-token: %s",
                       token);
        request.headers[2] = session;
    }
    (void)snprintf(url, sizeof url, "%s", r->url);
    add_path(url, parcel_name(name, p));
    return receiver_post(r, &request, e);
}

const struct receiver_kind receiver_s3 = {
    .name = "s3",
    .path = "/",
    .send = put_object,
};
