/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps the guest's memory, and finds addresses in it within bounds. */
#include "bridge/bridge_memory.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

/* --- Memory that vanishes ------------------------------------------------- */

/* The mappings that the signal handler may repair. This copy is empty while it
 * is being changed. */
static struct {
    volatile sig_atomic_t count;
    volatile uintptr_t begin[BRIDGE_MEMORY_REGIONS], end[BRIDGE_MEMORY_REGIONS];
} guarded;
static volatile sig_atomic_t lost;

/*
 * Replace the page of a lost part of a file by an empty page. The owner of the
 * file may shorten it at any time, even between a check and an access. A jump
 * out of the access would leave work half done. With the empty page the access
 * succeeds, and the front-end is dropped afterwards.
 */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    int saved = errno;

    (void)context;
    for (int i = 0; i < guarded.count; i++) {
        void *page = (void *)(at & ~(uintptr_t)(PAGE - 1));

        if (at < guarded.begin[i] || at >= guarded.end[i])
            continue;
        lost = 1;
        if (mmap(page, PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                 0) != MAP_FAILED) {
            errno = saved;
            return;
        }
    }
    /* not in the guest's memory: the access is repeated and ends the process */
    (void)signal(signal_number, SIG_DFL);
}

void bridge_memory_guard(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error,
                               .sa_flags = SA_SIGINFO};

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, NULL);
}

bool bridge_memory_lost(void)
{
    return lost != 0;
}

static void guard(const struct bridge_memory *m)
{
    guarded.count = 0;
    for (unsigned i = 0; i < m->count; i++) {
        guarded.begin[i] = (uintptr_t)m->regions[i].map;
        guarded.end[i] = guarded.begin[i] + m->regions[i].map_size;
    }
    guarded.count = (sig_atomic_t)m->count;
}

/* --- Mapping -------------------------------------------------------------- */

void bridge_memory_unmap(struct bridge_memory *m)
{
    guarded.count = 0;
    lost = 0;
    for (unsigned i = 0; i < m->count; i++)
        (void)munmap(m->regions[i].map, m->regions[i].map_size);
    m->count = 0;
}

static bool wraps(uint64_t begin, uint64_t size)
{
    return size > UINT64_MAX - begin;
}

static int map_region(struct bridge_memory *m,
                      const struct bridge_memory_claim *c, int fd,
                      struct err *e)
{
    struct memory_region *r = &m->regions[m->count];
    struct stat st;

    if (c->size == 0 || wraps(c->guest, c->size) || wraps(c->user, c->size) ||
        wraps(c->offset, c->size) || c->offset + c->size > SIZE_MAX / 2)
        return err_set(e, "memory: region %u: impossible size or address",
                       m->count);
    if (fstat(fd, &st) < 0)
        return err_sys(e, "memory: fstat");
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < c->offset + c->size)
        return err_set(e, "memory: region %u: its file is too short", m->count);

    /* map from the file's start: huge pages allow few offsets */
    size_t size = (size_t)(c->offset + c->size);
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (map == MAP_FAILED)
        return err_sys(e, "memory: mmap");
    *r = (struct memory_region){*c, (uint8_t *)map + c->offset, map, size};
    m->count++;
    return 0;
}

int bridge_memory_map(struct bridge_memory *m,
                      const struct bridge_memory_claim *claims, const int *fds,
                      unsigned count, struct err *e)
{
    bridge_memory_unmap(m);
    if (count > BRIDGE_MEMORY_REGIONS)
        return err_set(e, "memory: %u regions, at most %u are served", count,
                       BRIDGE_MEMORY_REGIONS);
    for (unsigned i = 0; i < count; i++) {
        if (map_region(m, &claims[i], fds[i], e) < 0) {
            bridge_memory_unmap(m);
            return -1;
        }
    }
    guard(m);
    return 0;
}

/* --- Looking up ----------------------------------------------------------- */

uint8_t *bridge_memory_at(const struct bridge_memory *m, uint64_t guest,
                          uint64_t *size)
{
    for (unsigned i = 0; i < m->count; i++) {
        const struct memory_region *r = &m->regions[i];
        uint64_t offset = guest - r->is.guest;

        if (guest < r->is.guest || offset >= r->is.size)
            continue;
        if (*size > r->is.size - offset)
            *size = r->is.size - offset;
        return r->host + offset;
    }
    return NULL;
}

uint8_t *bridge_memory_at_user(const struct bridge_memory *m, uint64_t user,
                               uint64_t size)
{
    for (unsigned i = 0; i < m->count; i++) {
        const struct memory_region *r = &m->regions[i];
        uint64_t offset = user - r->is.user;

        if (user >= r->is.user && offset < r->is.size &&
            size <= r->is.size - offset)
            return r->host + offset;
    }
    return NULL;
}
