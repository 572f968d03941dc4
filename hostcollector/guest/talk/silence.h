/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts for the user about a guest that does not send HELLO. */
#ifndef TPROF_GUEST_TALK_SILENCE_H
#define TPROF_GUEST_TALK_SILENCE_H

#define OTHER_PROTOCOL                                                         \
    "the bytes from %s are not tprof's: no HELLO is among them. Does another " \
    "program than the agent use that port?"
/* Lines after the first. Shown to the user of one guest, and left out if there
 * are many guests. */
#define SERIAL_SILENCE                                                         \
    "Why, the likeliest first:\n"                                              \
    "- the guest is not up yet, or is paused;\n"                               \
    "- QEMU serves another client on this socket, one at a time;\n"            \
    "- tprof_init() failed: the guest's console has what it returned, if the " \
    "kernel prints tprof_strerror();\n"                                        \
    "- the port has another name: QEMU wants -device "                         \
    "virtserialport,chardev=...,name=tprof.0;\n"                               \
    "- the agent never runs: that takes tprof_start_cpu() and interrupts, or " \
    "tprof_poll();\n"                                                          \
    "- a driver of the kernel's claimed the device after tprof_init()."

#endif
