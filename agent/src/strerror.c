/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors in words. Section garbage collection drops them where nobody asks. */
#include "tprof/tprof.h"

const char *tprof_strerror(int error)
{
    switch (error) {
    case TPROF_OK:
        return "no error";
    case TPROF_ERR_VERSION:
        return "config.version is not TPROF_CONFIG_VERSION: zero the struct, "
               "set it, and build with the library's own header";
    case TPROF_ERR_CONFIG:
        return "a field of the config is out of its range: see tprof.h";
    case TPROF_ERR_TEXT:
        return "text bounds unknown: link with tprof_bounds.ld or set "
               "config.text";
    case TPROF_ERR_MEMORY:
        return "memory missing or too small: link with tprof_memory.ld or set "
               "config.memory; tprof_mem_size() says how much";
    case TPROF_ERR_STATE:
        return "called before tprof_init(), or twice";
    case TPROF_ERR_CPU:
        return "more cores than config.cpus or the memory allow, or a core "
               "number beyond them";
    case TPROF_ERR_VECTOR:
        return "no free interrupt gate: set config.vector to one, or give "
               "config.install_vector";
    case TPROF_ERR_APIC:
        return "local APIC absent, disabled or its timer does not count: "
               "enable "
               "it, or use TPROF_TIMER_KERNEL";
    case TPROF_ERR_DEVICE:
        return "no device that works: a virtio-serial one with a port named "
               "tprof.0, or for tprof_vsock a virtio-vsock one that no driver "
               "has claimed";
    case TPROF_ERR_CLOSED:
        return "the host closed the channel";
    default:
        return "unknown error";
    }
}
