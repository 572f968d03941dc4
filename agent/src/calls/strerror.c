/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch_words.h"
#include "tprof/tprof.h"

/* Only a kernel that calls this function links the texts.
 * One flat list. NOLINTNEXTLINE(readability-function-size) */
const char *tprof_strerror(int error)
{
    switch (error) {
    case TPROF_OK:
        return "no error";
    case TPROF_ERR_VERSION:
        return "config.version is not TPROF_CONFIG_VERSION: zero the struct, "
               "set config.version, and build with the library's own header";
    case TPROF_ERR_CONFIG:
        return "a field of the config is out of its range: see tprof.h";
    case TPROF_ERR_TEXT:
        return "text bounds unknown: link with tprof_bounds.ld or set "
               "config.text";
    case TPROF_ERR_MEMORY:
        return "no memory: link with tprof_memory.ld or set config.memory and "
               "memory_size";
    case TPROF_ERR_STATE:
        return TPROF_ARCH_SAYS_STATE;
    case TPROF_ERR_CPU:
        return "there are more cores than config.cpus or the memory allow, or "
               "a core's number is too large: give TPROF_MEMORY(cores) bytes "
               "by config.memory";
    case TPROF_ERR_VECTOR:
        return "every interrupt gate from 32 to 239 is in use: set "
               "config.vector and config.install_vector, or use the kernel's "
               "own timer by config.timer";
    case TPROF_ERR_APIC:
        return TPROF_ARCH_SAYS_NO_TIMER;
    case TPROF_ERR_DEVICE:
        return "no device was found that works: give the guest a virtio-serial "
               "device with a port named tprof.0, or for tprof_vsock a "
               "virtio-vsock device. config.device says where the agent looks. "
               "If there is a device, its physical addresses may differ from "
               "the agent's virtual ones: set config.physical";
    case TPROF_ERR_CLOSED:
        return "the host closed the channel";
    case TPROF_ERR_NOT_INIT:
        return "tprof_init() has not succeeded: call it first, and check its "
               "result";
    case TPROF_ERR_TEXT_UNMAPPED:
        return "text bounds lie in memory that is not mapped: use run-time "
               "addresses in config.text";
    case TPROF_ERR_MEMORY_SMALL:
        return "memory is too small: tprof_mem_size() returns the size that "
               "config.cpus cores need";
    case TPROF_ERR_MEMORY_UNMAPPED:
        return "config.memory is not mapped, or cannot be written: map all of "
               "it before tprof_init()";
    case TPROF_ERR_APIC_OFF:
        return TPROF_ARCH_SAYS_TIMER_OFF;
    case TPROF_ERR_APIC_UNMAPPED:
        return TPROF_ARCH_SAYS_TIMER_UNMAPPED;
    case TPROF_ERR_TIMER:
        return TPROF_ARCH_SAYS_TIMER_STOPPED;
    case TPROF_ERR_VECTOR_TAKEN:
        return "config.vector has another handler: choose a free vector, or 0";
    case TPROF_ERR_IDT:
        return TPROF_ARCH_SAYS_NO_TABLE;
    case TPROF_ERR_DEVICE_TAKEN:
        return "there is such a device, and a driver of the kernel uses it: "
               "give the guest another device, or keep the driver off it. "
               "config.device.address takes the device from the driver";
    case TPROF_ERR_DEVICE_PORT:
        return "there is a virtio-serial device, but none of its ports has the "
               "name tprof.0: QEMU's -device virtserialport,name=tprof.0";
    case TPROF_ERR_DEVICE_UNMAPPED:
        return "there is such a device, but its registers are not mapped at "
               "their physical address: map them there, or set config.map";
    case TPROF_ERR_DEVICE_PLATFORM:
        return "the device requires VIRTIO_F_ACCESS_PLATFORM, as under SEV, "
               "TDX or behind an IOMMU, which the agent does not have: use "
               "config.channel, or a one-way transport";
    case TPROF_ERR_IO_PORT:
        return "there is no working UART for tprof_uart, or no debug port for "
               "tprof_debugcon, at config.device.address; 0 means 0x3f8, or "
               "0xe9";
    case TPROF_ERR_IMAGE:
        return "a part of the agent was not loaded, or its variables were not "
               "zeroed: make the kernel's linker script place .text, .rodata, "
               ".data and .bss of libtprof.a before the symbols that end the "
               "loaded image. `collector check` names the missing parts";
    case TPROF_ERR_TIMER_TAKEN:
        return TPROF_ARCH_SAYS_TIMER_TAKEN;
    case TPROF_ERR_CLOCK:
        return TPROF_ARCH_SAYS_NO_CLOCK;
    default:
        return "unknown error";
    }
}
