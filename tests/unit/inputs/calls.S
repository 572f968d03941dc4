# SPDX-License-Identifier: BSD-2-Clause
# Functions by how many ways lead into them: yes_* have one call, which returns
# to back_*, and no_* may be entered in other ways, or nobody knows.
    .macro function name
    .type \name, @function
\name:
    .endm

# a leaf, with what fills up behind it
    .macro leaf name
    .p2align 4
    .type \name, @function
\name:
    .cfi_startproc
    nop
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    .text
    .globl no_entry
    function no_entry
    call yes_near
back_yes_near:
    call yes_behind
back_yes_behind:
    call no_twice
    call no_twice
    call no_stored
    call no_stored_packed
    call no_immediate
    call no_wide
    call no_relative
    call no_jumped_to
    call no_jumped_near
    call no_branched_to
    call no_fallen_into
    call no_slid_into
    call no_middle
    call no_middle + 1
    call no_recursive
    call no_known_end
    call no_distance
    call no_hidden
    call no_branched_near
    call no_behind_unread
    call no_stored_last
    mov $no_immediate, %eax
    movabs $no_wide, %rax
    lea no_relative(%rip), %rax
    call yes_last
back_yes_last:
    ud2
    .size no_entry, . - no_entry

    leaf no_called
    leaf yes_near
    leaf no_twice
    leaf no_stored
    leaf no_stored_packed
    leaf no_stored_last
    leaf no_immediate
    leaf no_wide
    leaf no_distance
    leaf no_relative

    leaf no_middle
    leaf no_jumped_to
    function jumps
    jmp no_jumped_near
    .size jumps, . - jumps
    leaf no_jumped_near
    leaf no_branched_to

    function falls
    test %eax, %eax
    .size falls, . - falls
    function no_fallen_into
    ret
    .size no_fallen_into, . - no_fallen_into

# a short branch: to just where this one ends
    function branches
    test %eax, %eax
    jz no_branched_near
    ret
    .size branches, . - branches
    function no_branched_near
    ret
    .size no_branched_near, . - no_branched_near

# the last of it is not read
    function unread
    ret
    .byte 0x06
    .size unread, . - unread
    function no_behind_unread
    ret
    .size no_behind_unread, . - no_behind_unread

    function slides
    test %eax, %eax
    .p2align 5
    .size slides, . - slides
    function no_slid_into
    ret
    .size no_slid_into, . - no_slid_into

    function no_recursive
    call no_recursive
    call no_entry
    ret
    .size no_recursive, . - no_recursive

    leaf no_hidden
# bytes that no instruction begins with, and a call behind them
    function hides
    .byte 0x06, 0x06
    call no_hidden
    .size hides, . - hides

# where a label without size ends is not said, nor where it begins
    .p2align 4
no_known_end:
    ret

    .skip 1000, 0x90
    .p2align 4
    function jumps_far
    test %eax, %eax
    jz no_branched_to
    jmp no_jumped_to
    .size jumps_far, . - jumps_far

    leaf yes_behind
    leaf yes_last

    .data
    .quad no_stored
    .byte 0
    .quad no_stored_packed
    .balign 4
    .long no_distance - .
    .long no_stored_last # nothing behind it
