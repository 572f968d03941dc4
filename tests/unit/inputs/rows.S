# SPDX-License-Identifier: BSD-2-Clause
# What compilers write rarely or never: all of it is compared with readelf.
    .text
    .globl _start
_start:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    .cfi_remember_state
    .fill 300, 1, 0x90                  # advances by 2 bytes
    .cfi_undefined %rax
    .cfi_same_value %rbx
    .cfi_register %r12, %r11
    nop
    .cfi_val_offset %r13, -24
    .cfi_remember_state
    .fill 70000, 1, 0x90                # by 4
    .cfi_restore %rbx
    .cfi_restore %rbp
    .cfi_escape 0x05, 14, 4             # offset_extended
    nop
    .cfi_escape 0x11, 14, 0x7d          # offset_extended_sf
    .cfi_escape 0x15, 15, 0x7d          # val_offset_sf
    nop
    .cfi_escape 0x2f, 14, 4             # GNU_negative_offset_extended
    .cfi_escape 0x2e, 16                # GNU_args_size
    nop
    .cfi_escape 0x12, 7, 0x7e           # def_cfa_sf
    nop
    .cfi_escape 0x13, 0x7c              # def_cfa_offset_sf
    nop
    .cfi_restore_state
    nop
    .cfi_restore_state
    .cfi_escape 0x0f, 2, 0x77, 8        # def_cfa_expression: breg7 8
    .cfi_escape 0x10, 3, 2, 0x76, 0x78  # expression: rbx at breg6 -8
    .cfi_escape 0x16, 12, 2, 0x76, 0    # val_expression: r12 is breg6
    nop
    .cfi_def_cfa %rsp, 8
    .cfi_escape 0x06, 3                 # restore_extended
    ret
    .cfi_endproc

signal:
    .cfi_startproc simple
    .cfi_signal_frame
    .cfi_def_cfa %rsp, 40
    .cfi_offset %rip, -40
    .cfi_offset %rsp, -16
    nop
    .cfi_undefined %rip
    iretq
    .cfi_endproc
