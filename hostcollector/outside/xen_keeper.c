/* SPDX-License-Identifier: BSD-2-Clause */
#include "outside/xen_keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xenctrl.h>
#include <xenforeignmemory.h>
#include <xenstore.h>

#include <xen/hvm/save.h>

#include "guard/side_process.h"
#include "util/cpu/x86_64/x86_registers.h"
#include "util/io.h"

#define PAGE       4096u
#define EFER_LMA   (1u << 10)
#define PAGES_KEPT 4096u /* mapped pages, by the low bits of their number */
#define DOMAINS    64u   /* domains whose names are looked at */
#define NAMES      160u  /* bytes of their names in a message */

/* A mapped page of the domain. */
struct kept_page {
    void *bytes; /* NULL: none */
    uint64_t number;
};

struct keeper {
    xc_interface *xen;
    xenforeignmemory_handle *memory;
    uint32_t domain;
    bool paused; /* by this process */
    struct xen_state state;
    struct xen_core cores[OUTSIDE_CORES_MAX];
    struct kept_page pages[PAGES_KEPT];
};

/* Memory */

/* Map the page (number), and keep the mapping: the same pages of stacks and
 * page tables are read in each sample. Returns NULL if the domain has no such
 * page. */
static const uint8_t *map_page(struct keeper *k, uint64_t number)
{
    struct kept_page *p = &k->pages[number % PAGES_KEPT];
    xen_pfn_t frame = number;
    int error = 0;

    if (p->bytes != NULL && p->number == number)
        return p->bytes;
    if (p->bytes != NULL)
        (void)xenforeignmemory_unmap(k->memory, p->bytes, 1);
    p->number = number;
    p->bytes = xenforeignmemory_map(k->memory, k->domain, PROT_READ, 1, &frame,
                                    &error);
    if (p->bytes != NULL && error != 0) {
        (void)xenforeignmemory_unmap(k->memory, p->bytes, 1);
        p->bytes = NULL;
    }
    return p->bytes;
}

static long read_physical(void *context, uint64_t address, void *to,
                          size_t size)
{
    size_t done = 0;

    while (done < size) {
        uint64_t at = address + done;
        size_t part = PAGE - at % PAGE;
        const uint8_t *page = map_page(context, at / PAGE);

        if (page == NULL)
            break;
        if (part > size - done)
            part = size - done;
        memcpy((uint8_t *)to + done, page + at % PAGE, part);
        done += part;
    }
    return (long)done;
}

static uint32_t read_memory(struct keeper *k, const struct cpu_registers *r,
                            uint64_t address, void *to, size_t size)
{
    return (uint32_t)cpu_x86_64.read_virtual(r, read_physical, k, address, to,
                                             size);
}

/* Registers */

/* Read the registers and the beginning of the stack of core (i). A core that
 * the guest has not started runs no 64-bit code. */
static void look_at_core(struct keeper *k, uint32_t i)
{
    struct xen_core *core = &k->cores[i];
    struct cpu_registers *r = &core->registers;
    struct hvm_hw_cpu cpu;

    memset(core, 0, sizeof *core);
    r->cpu = &cpu_x86_64;
    if (xc_domain_hvm_getcontext_partial(k->xen, k->domain, HVM_SAVE_CODE(CPU),
                                         (uint16_t)i, &cpu, sizeof cpu) != 0)
        return;
    *r = (struct cpu_registers){
        .cpu = &cpu_x86_64,
        .general = {cpu.rax, cpu.rdx, cpu.rcx, cpu.rbx, cpu.rsi, cpu.rdi,
                    cpu.rbp, cpu.rsp, cpu.r8, cpu.r9, cpu.r10, cpu.r11, cpu.r12,
                    cpu.r13, cpu.r14, cpu.r15},
        .pc = cpu.rip,
        .flags = cpu.rflags,
        .system = {[X86_CS] = cpu.cs_sel,
                   [X86_CR0] = cpu.cr0,
                   [X86_CR3] = cpu.cr3,
                   [X86_CR4] = cpu.cr4,
                   [X86_EFER] = cpu.msr_efer},
        .is_wide = (cpu.msr_efer & EFER_LMA) != 0,
        .can_translate = true,
    };
    core->stack_size =
        read_memory(k, r, cpu.rsp, core->stack, sizeof core->stack);
}

/* Learn the number of cores, and whether the domain stands still. Returns 0, or
 * an errno. */
static int look_at_domain(struct keeper *k)
{
    xc_domaininfo_t info;
    int found = xc_domain_getinfolist(k->xen, k->domain, 1, &info);

    if (found < 0)
        return errno;
    if (found == 0 || info.domain != k->domain ||
        (info.flags & XEN_DOMINF_dying) != 0)
        return ESRCH;
    k->state.cores = info.max_vcpu_id + 1;
    if (k->state.cores > OUTSIDE_CORES_MAX)
        k->state.cores = OUTSIDE_CORES_MAX;
    k->state.stands = XEN_RUNS;
    if ((info.flags & XEN_DOMINF_shutdown) != 0)
        k->state.stands = (info.flags >> XEN_DOMINF_shutdownshift &
                           XEN_DOMINF_shutdownmask) == SHUTDOWN_crash
                              ? XEN_CRASHED
                              : XEN_SHUT_DOWN;
    else if ((info.flags & XEN_DOMINF_paused) != 0)
        k->state.stands = XEN_PAUSED;
    return 0;
}

/* Questions */

static int stop_domain(struct keeper *k)
{
    if (!k->paused && xc_domain_pause(k->xen, k->domain) != 0)
        return errno;
    k->paused = true;
    for (uint32_t i = 0; i < k->state.cores; i++)
        look_at_core(k, i);
    return 0;
}

static int run_domain(struct keeper *k)
{
    if (k->paused && xc_domain_unpause(k->xen, k->domain) != 0)
        return errno;
    k->paused = false;
    return 0;
}

/* Answer (ask). Returns 0; -1 if the sampling process is gone. */
static int answer(struct keeper *k, const struct xen_ask *ask, int socket)
{
    uint8_t bytes[XEN_MEMORY];
    struct xen_state s = k->state;

    if (ask->question == XEN_STOP) {
        s.error = stop_domain(k);
    } else if (ask->question == XEN_RUN) {
        s.error = run_domain(k);
    } else if (ask->question == XEN_READ) {
        if (!k->paused || ask->core >= s.cores || ask->size > sizeof bytes)
            s.error = EINVAL;
        else
            s.size = read_memory(k, &k->cores[ask->core].registers,
                                 ask->address, bytes, ask->size);
    }
    return io_write(socket, &s, sizeof s) == 0 &&
                   io_write(socket, bytes, s.size) == 0 &&
                   (ask->question != XEN_STOP || s.error != 0 ||
                    io_write(socket, k->cores, s.cores * sizeof k->cores[0]) ==
                        0)
               ? 0
               : -1;
}

static _Noreturn void serve(struct keeper *k, int socket)
{
    struct xen_ask ask;

    (void)signal(SIGPIPE, SIG_IGN);
    while (recv(socket, &ask, sizeof ask, MSG_WAITALL) == (ssize_t)sizeof ask &&
           answer(k, &ask, socket) == 0)
        continue;
    _exit(run_domain(k) != 0);
}

/* The domain's name */

/* Find the number of the domain (name). (names) receives the names of all
 * domains. */
static bool find_name(const char *name, uint32_t *domain, char names[NAMES])
{
    struct xs_handle *store = xs_open(XS_OPEN_READONLY);
    unsigned count = 0, size;
    char **ids = store != NULL
                     ? xs_directory(store, XBT_NULL, "/local/domain", &count)
                     : NULL;
    bool found = false;

    names[0] = '\0';
    for (unsigned i = 0; i < count && i < DOMAINS && !found; i++) {
        char path[64];

        (void)snprintf(path, sizeof path, "/local/domain/%.10s/name", ids[i]);
        char *text = xs_read(store, XBT_NULL, path, &size);
        size_t end = strlen(names);

        found = text != NULL && strcmp(text, name) == 0;
        if (found)
            *domain = (uint32_t)strtoul(ids[i], NULL, 10);
        if (text != NULL)
            (void)snprintf(names + end, NAMES - end, "%s%s",
                           end != 0 ? ", " : "", text);
        free(text);
    }
    free(ids);
    if (store != NULL)
        xs_close(store);
    return found;
}

static int find_domain(const char *name, uint32_t *domain, struct err *e)
{
    char names[NAMES], *end;
    unsigned long number = strtoul(name, &end, 10);

    if (name[0] >= '0' && name[0] <= '9' && *end == '\0' &&
        number < DOMID_FIRST_RESERVED) {
        *domain = (uint32_t)number;
        return 0;
    }
    if (find_name(name, domain, names))
        return 0;
    return names[0] == '\0'
               ? err_set(e, "the names of domains cannot be read: type the "
                            "number that xl list shows")
               : err_set(e, "no domain has that name; there are %s", names);
}

/* Is the domain one that can be read? Returns 0; -1 with (e) filled. */
static int check_domain(struct keeper *k, struct err *e)
{
    xc_domaininfo_t info;

    if (k->domain == 0)
        return err_set(e, "domain 0 is the one that this collector runs in");
    if (xc_domain_getinfolist(k->xen, k->domain, 1, &info) != 1 ||
        info.domain != k->domain)
        return err_set(e, "there is no such domain; xl list shows all");
    if ((info.flags & XEN_DOMINF_hvm_guest) == 0)
        return err_set(e, "the domain is paravirtualized; only PVH and HVM "
                          "domains can be read");
    return look_at_domain(k) == 0 ? 0 : err_set(e, "the domain is dying");
}

/* Open Xen's interfaces, which a fork would lose, and find the domain. */
static int open_xen(struct keeper *k, const char *domain, struct err *e)
{
    xentoollog_logger *log = (xentoollog_logger *)xtl_createlogger_stdiostream(
        stderr, XTL_CRITICAL, 0);

    k->xen = xc_interface_open(log, log, 0);
    k->memory = k->xen != NULL ? xenforeignmemory_open(log, 0) : NULL;
    if (k->memory == NULL)
        return err_set(e,
                       "Xen does not answer (/dev/xen/privcmd: %s): run the "
                       "collector as root in dom0",
                       strerror(errno));
    return find_domain(domain, &k->domain, e) == 0 ? check_domain(k, e) : -1;
}

/* Become the keeper. Its first words are those of (e): "", or why it ends. */
static _Noreturn void be_keeper(const char *domain, int socket)
{
    struct keeper *k = calloc(1, sizeof *k);
    struct err e = {""};

    side_process_keep(socket);
    if (k == NULL)
        (void)err_memory(&e);
    else if (open_xen(k, domain, &e) == 0)
        e.text[0] = '\0';
    if (io_write(socket, &e, sizeof e) != 0 || e.text[0] != '\0')
        _exit(1);
    serve(k, socket);
}

int xen_keeper_start(const char *domain, struct err *e)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_sys(e, "socketpair");
    pid_t child = side_process_fork();

    if (child == 0) {
        (void)close(ends[0]);
        be_keeper(domain, ends[1]);
    }
    (void)close(ends[1]);
    if (child < 0 ||
        recv(ends[0], e, sizeof *e, MSG_WAITALL) != (ssize_t)sizeof *e)
        (void)err_set(e, "the process that reads the domain did not start");
    if (e->text[0] == '\0')
        return ends[0];
    (void)close(ends[0]);
    return -1;
}
