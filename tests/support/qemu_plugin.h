/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's plugin interface (version 1) that our plugin uses. QEMU's
 * own qemu-plugin.h is in no binary package; its documentation is the
 * contract: docs/devel/tcg-plugins.rst.
 */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT  __attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION 1

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;   /* a block about to be translated */
struct qemu_plugin_insn; /* an instruction of it */
struct qemu_info;        /* of the machine; we need none of it */

enum qemu_plugin_cb_flags {
    QEMU_PLUGIN_CB_NO_REGS = 0, /* the callback touches no guest register */
};

enum qemu_plugin_mem_rw {
    QEMU_PLUGIN_MEM_R = 1,
    QEMU_PLUGIN_MEM_W = 2,
    QEMU_PLUGIN_MEM_RW = 3,
};

typedef void (*qemu_plugin_tb_trans_fn)(qemu_plugin_id_t id,
                                        struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_insn_fn)(unsigned vcpu, void *context);
typedef void (*qemu_plugin_mem_fn)(unsigned vcpu, qemu_plugin_meminfo_t info,
                                   uint64_t address, void *context);
typedef void (*qemu_plugin_exit_fn)(qemu_plugin_id_t id, void *context);

/* What QEMU looks for in a plugin. */
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                           const struct qemu_info *info,
                                           int argc, char **argv);

/* What it offers. Callbacks run before their instruction, a memory callback
 * right after its access. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           qemu_plugin_tb_trans_fn fn);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            qemu_plugin_insn_fn fn,
                                            enum qemu_plugin_cb_flags flags,
                                            void *context);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      qemu_plugin_mem_fn fn,
                                      enum qemu_plugin_cb_flags flags,
                                      enum qemu_plugin_mem_rw rw,
                                      void *context);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_fn fn,
                                    void *context);

#endif
