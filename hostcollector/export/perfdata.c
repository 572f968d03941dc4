/* SPDX-License-Identifier: BSD-2-Clause */
/* A perf.data for perf report, perf annotate, perf script and hotspot. */
#include "report/name.h"
#include "report/render.h"

#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "export/export_laid.h"
#include "export/export_rows.h"
#include "util/bytes.h"
#include "util/cpu/cpu.h"
#include "view/view_build.h"

/*
 * The kernel's sources describe the format:
 * tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h.
 *
 * A guest is a process, a core is a thread on the CPU of its number, and the
 * period of a sample is its time. perf finds names in the image's file. A mark,
 * such as [idle], is a mapping of that name.
 *
 * The length of the data is in the header, and is written at the end. A pipe
 * cannot seek back, so perf warns about its length.
 */

/* Size of the file's header, and of the only attribute after it with its place
 * of ids, which is empty. */
#define HEADER_SIZE      104u
#define ATTR_SIZE        PERF_ATTR_SIZE_VER5
#define ATTRS_SIZE       (ATTR_SIZE + 16u)
#define DATA_START       (HEADER_SIZE + ATTRS_SIZE)
#define DATA_SIZE_AT     48
/* Features after the data, in this order. */
#define FEATURE_BUILD_ID (1u << 2)
#define FEATURE_HOSTNAME (1u << 3)
#define FEATURE_ARCH     (1u << 6)
#define FEATURES         3u
#define FEATURES_AT      72u
#define SECTION_SIZE     16u
#define PATH_ROOM        4096u
#define HOST_ROOM        192u /* a multiple of 64 */
#define ARCH_ROOM        16u

/* An entry of the table of build-ids after the data. Its process is the host's
 * kernel. */
#define ID_MAX       20u
#define ID_ROOM      24u
#define ID_HAS_SIZE  (1u << 15)
#define HOST_MACHINE UINT32_MAX

#define PROT_READ_EXEC 5u
#define MAPPED_PRIVATE 2u

/* Mappings of marks, where no kernel has code. */
#define MARKS_START 0x7ffffff00000u
#define MARK_SIZE   0x1000u

#define ADDRESS_SIZE 8u /* in a chain */

/* A record under construction. */
struct perf_record {
    uint8_t bytes[UINT16_MAX + 1u];
    size_t size;
};

struct perfdata {
    uint32_t next_pid;
    uint64_t data; /* bytes of records */
    struct perf_record record;
    size_t guests;
    char host[HOST_ROOM]; /* the name of the last guest */
    char arch[ARCH_ROOM]; /* the CPU of the last guest, as uname has it */
    /* Table of build-ids, which is written at the end. */
    FILE *id_table;
    char *ids;
    size_t id_bytes;
};

/* Records. */

static void put(struct perf_record *r, const void *bytes, size_t size)
{
    if (size > sizeof r->bytes - r->size)
        size = sizeof r->bytes - r->size; /* names and chains are short */
    memcpy(r->bytes + r->size, bytes, size);
    r->size += size;
}

static void put_u32(struct perf_record *r, uint32_t value)
{
    uint8_t bytes[4];

    store_u32(bytes, value);
    put(r, bytes, sizeof bytes);
}

static void put_u64(struct perf_record *r, uint64_t value)
{
    uint8_t bytes[8];

    store_u64(bytes, value);
    put(r, bytes, sizeof bytes);
}

/* Write (s) with at least one NUL, padded to a multiple of 8 bytes. */
static void put_text(struct perf_record *r, const char *s)
{
    static const char nul[8] = "";
    size_t length = strlen(s) < PATH_ROOM ? strlen(s) : PATH_ROOM;

    put(r, s, length);
    put(r, nul, 8 - r->size % 8);
}

static struct perf_record *begin_record(struct perf_record *r, uint32_t type,
                                        uint32_t misc)
{
    r->size = 0;
    put_u32(r, type);
    put_u32(r, misc); /* the size comes later */
    return r;
}

static void write_record(struct render *to, struct perf_record *r)
{
    struct perfdata *p = to->state;

    store_u16(r->bytes + 6, (uint16_t)r->size);
    (void)fwrite(r->bytes, 1, r->size, to->out);
    p->data += r->size;
}

/* Records other than samples. */

static void begin(struct render *to)
{
    struct perfdata *p = calloc(1, sizeof *p);
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = ATTR_SIZE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_PERIOD,
        .exclude_kernel = 1, /* shown as cpu-clock:u */
        .exclude_hv = 1,
        .exclude_guest = 1,
        .mmap = 1,
        .comm = 1,
        .freq = 1,
        .mmap2 = 1,
    };

    to->state = p;
    to->no_memory =
        p == NULL ||
        (p->id_table = open_memstream(&p->ids, &p->id_bytes)) == NULL;
    if (to->no_memory)
        return;
    struct perf_record *r = &p->record;

    put(r, "PERFILE2", 8);
    put_u64(r, HEADER_SIZE);
    put_u64(r, ATTRS_SIZE);
    put_u64(r, HEADER_SIZE); /* attributes */
    put_u64(r, ATTRS_SIZE);
    put_u64(r, DATA_START); /* data; its size comes at the end */
    for (size_t i = DATA_SIZE_AT; i < HEADER_SIZE; i += 8)
        put_u64(r, i == FEATURES_AT
                       ? FEATURE_BUILD_ID | FEATURE_HOSTNAME | FEATURE_ARCH
                       : 0);
    put(r, &attr, ATTR_SIZE);
    put_u64(r, 0);
    put_u64(r, 0);
    (void)fwrite(r->bytes, 1, r->size, to->out);
}

static void write_comm(struct render *to, uint32_t pid, uint32_t tid,
                       const char *name)
{
    struct perfdata *p = to->state;
    struct perf_record *r = begin_record(&p->record, PERF_RECORD_COMM, 0);

    put_u32(r, pid);
    put_u32(r, tid);
    put_text(r, name);
    write_record(to, r);
}

static void write_mmap(struct render *to, uint32_t pid,
                       const struct view_segment *s, const char *name,
                       const struct view_image *image)
{
    struct perfdata *p = to->state;
    bool has_id = image != NULL && image->build_id_len != 0 &&
                  image->build_id_len <= ID_MAX;
    uint8_t id[ID_ROOM] = {0};
    struct perf_record *r = begin_record(
        &p->record, PERF_RECORD_MMAP2,
        PERF_RECORD_MISC_USER |
            (has_id ? (uint32_t)PERF_RECORD_MISC_MMAP_BUILD_ID : 0));

    put_u32(r, pid);
    put_u32(r, pid);
    put_u64(r, s->address);
    put_u64(r, s->size);
    put_u64(r, s->file_offset);
    if (has_id) {
        id[0] = (uint8_t)image->build_id_len;
        memcpy(id + 4, image->build_id, image->build_id_len);
    }
    put(r, id, sizeof id);
    put_u32(r, PROT_READ_EXEC);
    put_u32(r, MAPPED_PRIVATE);
    put_text(r, name);
    write_record(to, r);
}

static void write_mappings(struct render *to, const struct report *r,
                           uint32_t pid)
{
    char name[NAME_PLAIN];

    for (uint32_t i = 0; i < r->view->image_count; i++) {
        const struct view_image *image = &r->view->images[i];

        for (size_t j = 0; j < image->segment_count; j++) {
            struct view_segment s = image->segments[j];

            s.address += image->slide;
            write_mmap(to, pid, &s, name_of_file(name, r, i), image);
        }
    }
    for (uint32_t i = 0; i < VIEW_MARKS; i++) {
        /* perf takes a name that begins with [stack for no file, and it shows
         * the last part of a path */
        (void)snprintf(name, sizeof name, "tprof/%s",
                       r->view->functions[i].name);
        write_mmap(to, pid,
                   &(struct view_segment){MARKS_START + i * (uint64_t)MARK_SIZE,
                                          MARK_SIZE, 0},
                   name, NULL);
    }
}

/* Keep the build-ids of (r)'s images for the table at the end. */
static void keep_ids(struct render *to, const struct report *r)
{
    struct perfdata *p = to->state;
    char name[NAME_PLAIN];

    for (uint32_t i = 0; i < r->view->image_count; i++) {
        const struct view_image *image = &r->view->images[i];
        struct perf_record *record = &p->record;
        uint8_t id[ID_ROOM] = {0};

        if (image->build_id_len == 0 || image->build_id_len > ID_MAX)
            continue;
        memcpy(id, image->build_id, image->build_id_len);
        id[ID_MAX] = (uint8_t)image->build_id_len;
        begin_record(record, 0, PERF_RECORD_MISC_USER | ID_HAS_SIZE);
        put_u32(record, HOST_MACHINE);
        put(record, id, sizeof id);
        put_text(record, name_of_file(name, r, i));
        store_u16(record->bytes + 6, (uint16_t)record->size);
        (void)fwrite(record->bytes, 1, record->size, p->id_table);
    }
}

/* Samples. */

/* The address of (step) in the guest. */
static uint64_t address_of(const struct report *r, const struct view_step *step)
{
    return step->function < VIEW_MARKS
               ? MARKS_START + step->function * (uint64_t)MARK_SIZE
               : step->address + r->view->images[step->image].slide;
}

/* Is (step) left out of chains? perf itself finds inlined functions. A mark of
 * a missing caller is left out, because perf would show only its address. */
static bool is_left_out(const struct view_path *path, size_t i)
{
    return (path->steps[i].inlined && i > 0) ||
           (path->steps[i].function == VIEW_UNCERTAIN && path->count > 1);
}

/* Write addresses, innermost first. */
static void lay_chain(FILE *out, const struct render *to,
                      const struct report *r, const struct view_path *path)
{
    uint8_t bytes[ADDRESS_SIZE];

    (void)to;
    for (size_t i = path->count; i-- > 0;) {
        if (is_left_out(path, i))
            continue;
        store_u64(bytes, address_of(r, &path->steps[i]));
        (void)fwrite(bytes, 1, sizeof bytes, out);
    }
}

static void write_sample(struct render *to, const struct export_rows *rows,
                         const struct export_laid *chains, uint32_t pid,
                         uint32_t tid)
{
    struct perfdata *p = to->state;
    size_t size;
    const char *chain = export_laid_of(chains, rows->entry, &size);
    struct perf_record *r =
        begin_record(&p->record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

    if (size == 0)
        return; /* no path is so long */
    put(r, chain, ADDRESS_SIZE);
    put_u32(r, pid);
    put_u32(r, tid);
    put_u64(r, rows->ns);
    put_u32(r, rows->core->core);
    put_u32(r, 0);
    put_u64(r, rows->length_ns);
    put_u64(r, size / ADDRESS_SIZE + 1);
    put_u64(r, (uint64_t)PERF_CONTEXT_USER);
    put(r, chain, size);
    write_record(to, r);
}

static void write_core(struct render *to, const struct report *r, size_t core,
                       uint32_t pid)
{
    uint32_t tid = export_tid(pid, core);
    struct export_laid chains;
    struct export_rows rows;
    char name[NAME_PLAIN];

    /* the guest's name: perf would split a function by the names of cores */
    write_comm(to, pid, tid, name_of_guest(name, r));
    export_laid_init(&chains, to, r, core, lay_chain);
    export_rows_init(&rows, to, r, core);
    while (!to->no_memory && export_rows_next(&rows)) {
        uint32_t thread = view_thread_of(r->view, core, rows.entry);

        write_sample(to, &rows, &chains, pid,
                     export_tid(pid, export_thread(r->profile, core, thread)));
    }
    export_rows_fini(&rows);
    export_laid_fini(&chains);
}

/* Write the names of the threads that have samples. */
static void write_threads(struct render *to, const struct report *r,
                          uint32_t pid)
{
    const struct profile *p = r->profile;
    char name[NAME_PLAIN];

    for (uint32_t i = 1; i <= p->thread_count; i++)
        if (p->threads[i - 1].sampled > 0)
            write_comm(to, pid, export_tid(pid, export_thread(p, 0, i)),
                       name_of_thread(name, p, i));
}

/* Note the CPU (arch) of the wire. A recording of an old agent may not say
 * it. */
static void keep_arch(struct perfdata *p, uint8_t arch)
{
    const struct cpu *cpu = cpu_of_wire(arch);

    (void)snprintf(p->arch, sizeof p->arch, "%s",
                   (cpu != NULL ? cpu : cpu_at(0))->qemu);
}

static void write_perfdata(struct render *to, const struct report *r)
{
    struct perfdata *p = to->state;
    char name[NAME_PLAIN];

    if (to->no_memory)
        return;
    uint32_t pid = export_pid(&p->next_pid, r->profile->core_count +
                                                r->profile->thread_count);

    write_comm(to, pid, pid, name_of_guest(name, r));
    p->guests++;
    (void)snprintf(p->host, sizeof p->host, "%s", name);
    keep_arch(p, r->profile->guest.arch);
    write_mappings(to, r, pid);
    keep_ids(to, r);
    write_threads(to, r, pid);
    for (size_t i = 0; i < r->profile->core_count; i++)
        if (r->profile->cores[i].total.samples != 0)
            write_core(to, r, i, pid);
}

/* Write the places of the features, then the features: the table of build-ids,
 * the guest's name as the name of the machine, and the guest's CPU, by which
 * perf annotate disassembles. */
static void write_features(struct render *to)
{
    struct perfdata *p = to->state;
    struct perf_record *r = &p->record;
    uint64_t at = DATA_START + p->data + FEATURES * (uint64_t)SECTION_SIZE;

    if (p->guests > 1)
        (void)snprintf(p->host, sizeof p->host, "%zu guests", p->guests);
    r->size = 0;
    put_u64(r, at);
    put_u64(r, p->id_bytes);
    put_u64(r, at + p->id_bytes);
    put_u64(r, sizeof(uint32_t) + HOST_ROOM);
    put_u64(r, at + p->id_bytes + sizeof(uint32_t) + HOST_ROOM);
    put_u64(r, sizeof(uint32_t) + ARCH_ROOM);
    (void)fwrite(r->bytes, 1, r->size, to->out);
    if (p->id_bytes != 0) /* otherwise there may be no array */
        (void)fwrite(p->ids, 1, p->id_bytes, to->out);
    r->size = 0;
    put_u32(r, HOST_ROOM);
    put(r, p->host, HOST_ROOM);
    put_u32(r, ARCH_ROOM);
    put(r, p->arch, ARCH_ROOM);
    (void)fwrite(r->bytes, 1, r->size, to->out);
}

static void end(struct render *to)
{
    struct perfdata *p = to->state;

    if (p == NULL)
        return;
    struct perf_record *r = &p->record;

    to->no_memory |= p->id_table == NULL || fclose(p->id_table) != 0;
    write_features(to);
    r->size = 0;
    put_u64(r, p->data);
    if (fseek(to->out, DATA_SIZE_AT, SEEK_SET) == 0) {
        (void)fwrite(r->bytes, 1, r->size, to->out);
        (void)fseek(to->out, 0, SEEK_END);
    }
    free(p->ids);
    free(p);
}

const struct render_ops render_perfdata = {
    .name = "perfdata",
    .suffix = "perf.data",
    .begin = begin,
    .write = write_perfdata,
    .end = end,
};
