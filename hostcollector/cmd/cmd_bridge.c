/* SPDX-License-Identifier: BSD-2-Clause */
/* collector bridge: virtio-vsock for a guest on a host that has none. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bridge/bridge.h"
#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/option_kinds.h"
#include "cli/signals.h"

#define DEFAULT_CID 3u

struct bridge_options {
    struct bridge_config bridge;
    enum sandbox_mode sandbox;
};

#define AT(m) offsetof(struct bridge_options, m)

static const struct option_row own_rows[] = {
    {"vhost-user", 0, "SOCKET", &option_text, AT(bridge.vhost_user), 0, 0,
     "where QEMU connects: -chardev socket,path=SOCKET"},
    {"uds", 0, "PATH", &option_text, AT(bridge.uds), 0, 0,
     "where the collector and other programs connect"},
    {"cid", 0, "N", &option_count, AT(bridge.cid), 3, UINT32_MAX - 1,
     "the guest's CID, 3 or more (default: 3)"},
    {"peer", 0, "UID", &option_peer, AT(bridge.peers), 0, 0,
     "let this user in or any (default: you and root)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_ROWS(own_rows, 0), OPTION_ROWS(sandbox_rows, AT(sandbox)),
    OPTION_ROWS(help_rows, 0), OPTION_END};

static const struct option_set options = {.command = " bridge",
                                          .groups = groups};

static const struct help help = {
    &options,
    "collector bridge --vhost-user SOCKET --uds PATH [--cid 3]\n"
    "\n"
    "Gives a guest in QEMU virtio-vsock without root and without "
    "/dev/vhost-vsock. Start it first, let it run, and add to QEMU's command "
    "line:\n"
    "\n"
    "  -object memory-backend-memfd,id=mem,size=64M,share=on \\\n"
    "  -M microvm,memory-backend=mem,... -m 64M \\\n"
    "  -global virtio-mmio.force-legacy=false \\\n"
    "  -chardev socket,id=vs,path=SOCKET \\\n"
    "  -device vhost-user-vsock-device,chardev=vs\n"
    "\n"
    "(-M q35 or pc: -device vhost-user-vsock-pci,chardev=vs.) Then:\n"
    "\n"
    "  collector --vsock-uds PATH --elf FILE\n"
    "\n"
    "To reach a port of the guest a program connects to PATH, sends 'CONNECT "
    "port\\n' and reads 'OK number\\n'. What the guest connects to at port P "
    "of CID 2 goes to the socket PATH_P. Ctrl-C ends the bridge and removes "
    "both sockets.",
    "  collector bridge --vhost-user vhost.sock --uds vsock.sock\n"
    "  collector bridge --vhost-user vhost.sock --uds vsock.sock --cid 4\n"
    "  collector bridge --vhost-user vhost.sock --uds vsock.sock --peer 1000\n",
    NULL};

static void print_line(void *context, const char *line)
{
    (void)context;
    if (messages_stderr_is_writable()) /* the guest must not wait for the reader
                                          of standard error */
        (void)fprintf(stderr, "collector bridge: %s\n", line);
}

/* Raise the limit of open files, because each connection is one. */
static void raise_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* Confine the process to the calls that serving the guest needs, because the
 * guest is not trusted. */
static int confine(enum sandbox_mode mode, struct err *e)
{
    struct err lacking;

    if (confine_bridge(mode, &lacking) != 0)
        return err_set(e, "%s", lacking.text);
    if (lacking.text[0] != '\0')
        print_line(NULL, lacking.text);
    return 0;
}

static int serve(struct bridge_options *o, struct err *e)
{
    struct bridge_config *config = &o->bridge;
    int result = -1;

    raise_files();
    config->stop_fd = signals_catch(e);
    if (config->stop_fd < 0 ||
        confine_prepare_bridge(o->sandbox, config->vhost_user, config->uds,
                               e) != 0)
        return -1;
    struct bridge *b = bridge_open(config, e);
    if (b != NULL && confine(o->sandbox, e) == 0) {
        (void)fprintf(stderr,
                      "collector bridge: ready: guest %u by QEMU at %s, "
                      "other programs at %s\n",
                      config->cid, config->vhost_user, config->uds);
        result = bridge_run(b, e);
    }
    bridge_close(b);
    (void)close(config->stop_fd);
    return result;
}

static int refuse_options(const struct bridge_config *c, struct err *e)
{
    if (c->vhost_user == NULL || c->uds == NULL)
        return err_set(e, "where? type: collector bridge --vhost-user "
                          "/tmp/guest.vhost --uds /tmp/guest.vsock --cid 3");
    if (strcmp(c->vhost_user, c->uds) == 0)
        return err_set(e, "--vhost-user and --uds: two sockets need two paths");
    return 0;
}

static int run_bridge(int argc, char **argv)
{
    struct bridge_options o = {
        .bridge = {.cid = DEFAULT_CID, .say = print_line}};
    struct err e = {""};
    int result = option_parse(&o, &options, argc, argv, &e);

    if (result == OPTION_HELP)
        result = help_print(&help);
    else if (result < 0 || refuse_options(&o.bridge, &e) != 0)
        result = EXIT_USAGE;
    else
        result = serve(&o, &e) == 0 ? EXIT_DONE : EXIT_FAILED;
    if (e.text[0] != '\0')
        print_line(NULL, e.text);
    return result;
}

const struct subcommand cmd_bridge = {"bridge", &options, run_bridge};
