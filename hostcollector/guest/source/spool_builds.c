/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/source/source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guard/opener.h"
#include "model/guest.h"
#include "profile/decode/fields.h"
#include "recording/recording.h"
#include "recording/spool/spool_list.h"
#include "tprof_wire.h"

static void write_id(char text[SOURCE_BUILD_ROOM], const uint8_t *id,
                     size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < size && 2 * i + 3 <= SOURCE_BUILD_ROOM; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
}

/* Write the build-id that the HELLO in (frame) has, or else that of the file
 * which the window's collector had. */
static void read_id(const struct recording_reader *r, const uint8_t *frame,
                    size_t size, char text[SOURCE_BUILD_ROOM])
{
    const struct recording_info *info = recording_get_info(r);
    struct guest g;

    text[0] = '\0';
    if (fields_hello(frame + WIRE_FRAME_HEADER,
                     size - WIRE_FRAME_HEADER - WIRE_FRAME_TRAILER, &g) != NULL)
        return;
    if (g.build_id_len != 0)
        write_id(text, g.build_id, g.build_id_len);
    else
        write_id(text, info->build_id, info->build_id_len);
}

static bool is_in_span(const struct spool_list *list, uint64_t window_ms)
{
    return window_ms == 0 ||
           (window_ms >= list->since_ms &&
            (list->until_ms == 0 || window_ms < list->until_ms));
}

/* Write the build of the last wanted window of the file (fd) into (id). */
static bool find_in_file(const struct spool_list *list, int fd,
                         const char *other, char id[SOURCE_BUILD_ROOM])
{
    static uint8_t frame[WIRE_FRAME_MAX];
    struct err ignored;
    struct recording_reader *r = recording_open(fd, &ignored);
    char text[SOURCE_BUILD_ROOM];
    bool found = false;
    uint64_t arrival_ns;
    ssize_t n;

    while (r != NULL && (n = recording_read(r, frame, sizeof frame, &arrival_ns,
                                            &ignored)) > 0) {
        if (!recording_is_packed(r))
            break;
        if (frame[WIRE_FRAME_TYPE] != WIRE_HELLO ||
            (size_t)n < WIRE_FRAME_HEADER + WIRE_FRAME_TRAILER ||
            !is_in_span(list, recording_window(r)))
            continue;
        read_id(r, frame, (size_t)n, text);
        if (text[0] == '\0' || strcmp(text, other) == 0)
            continue;
        memcpy(id, text, sizeof text);
        found = true;
    }
    recording_reader_free(r);
    return found;
}

bool source_spool_newest(const struct spool_list *list, const char *other,
                         char id[SOURCE_BUILD_ROOM])
{
    bool found = false;

    id[0] = '\0';
    for (size_t i = list->count; i > 0 && !found; i--) {
        char text[PATH_MAX];
        const char *path = spool_list_path(list, i - 1, text, sizeof text);
        int fd;

        opener_open_windows(&path, 1, &fd);
        if (fd < 0)
            continue;
        found = find_in_file(list, fd, other, id);
        (void)close(fd);
    }
    return found;
}
