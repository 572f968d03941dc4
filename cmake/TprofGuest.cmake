# SPDX-License-Identifier: BSD-2-Clause
# Guests: bare-metal programs for QEMU. A guest is made of the kit tests/guest/common,
# its own sources and libtprof.a.
#
#   tprof_guest(<name> SOURCES s... [PICOLIBC] [WITHOUT_AGENT] [DEFS d...] [LIBS l...])
#       Builds tests/guest/<name>.elf in the build tree from sources in the current
#       folder; target <name>. PICOLIBC adds a C library whose stdout is the console;
#       without it, a guest has the compiler's own headers and mem.h. WITHOUT_AGENT
#       leaves out libtprof.a and the fragments of linker/, and defines
#       GUEST_WITHOUT_TPROF.
#
#   tprof_guest_test(<what> GUEST <name> [EXPECT regex] [BOOT option...]
#                    [LABELS l...] [TIMEOUT seconds])
#       CTest guest.<what>: boots <name> with `tests/guest/boot option...`. The test passes
#       when the guest ends with success and, with EXPECT, has printed a line that matches.
#
#   tprof_source_test(<what> GUEST <name> TOOL <tool> OPTIONS <text> WORK <function>
#                     CALLS <file> [CORES n] [LABELS l...] [TIMEOUT seconds])
#       CTest guest.<what>: tests/accuracy/test_source.c, which explains the arguments.
#       The test is skipped where there is no such guest.
#
# TPROF_GUEST_BOOT is the script that boots them.
include_guard(GLOBAL)

set(TPROF_GUEST_BOOT ${PROJECT_SOURCE_DIR}/tests/guest/boot)
set(guest_common ${PROJECT_SOURCE_DIR}/tests/guest/common)

add_library(guest_flags INTERFACE)
target_include_directories(guest_flags INTERFACE ${guest_common})
target_compile_options(guest_flags INTERFACE
    -O2 -g -ffreestanding -fno-pic -fno-pie
    -mno-red-zone -mgeneral-regs-only
    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
    -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables
    # gcc drops the frame of a leaf function that leaves its stack alone, whatever is said
    # above; one that begins with a call of mcount() keeps it, and the call can be a nop
    $<$<AND:$<C_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:C>>:-pg;-mno-fentry;-mnop-mcount>)
# clang links by its own linker, so that both linkers are tested
target_link_options(guest_flags INTERFACE
    $<$<C_COMPILER_ID:Clang>:-fuse-ld=lld>
    -static -nostdlib
    LINKER:--build-id=sha1 LINKER:-z,max-page-size=4096 LINKER:-z,noexecstack
    LINKER:-T,${guest_common}/guest.ld)

add_library(guest_kit OBJECT EXCLUDE_FROM_ALL
    ${guest_common}/boot.S ${guest_common}/trap.S ${guest_common}/guest.c
    ${guest_common}/con.c ${guest_common}/core.c ${guest_common}/idt.c
    ${guest_common}/lapic.c ${guest_common}/opt.c ${guest_common}/page.c)
add_library(guest_mem OBJECT EXCLUDE_FROM_ALL ${guest_common}/mem.c)
# the compiler must not make a call of memcpy() of the code of memcpy()
target_compile_options(guest_mem PRIVATE -fno-builtin
    $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)
foreach(target guest_kit guest_mem)
  target_link_libraries(${target} PRIVATE guest_flags tprof_warnings)
endforeach()

function(tprof_guest name)
  cmake_parse_arguments(ARG "PICOLIBC;WITHOUT_AGENT" "" "SOURCES;DEFS;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${guest_common}/agent.c $<TARGET_OBJECTS:guest_kit>)
  set_target_properties(${name} PROPERTIES SUFFIX .elf
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/guest
      LINK_DEPENDS ${guest_common}/guest.ld)
  target_compile_definitions(${name} PRIVATE ${ARG_DEFS})
  target_link_libraries(${name} PRIVATE guest_flags tprof_warnings ${ARG_LIBS})
  if(ARG_PICOLIBC)
    include(Picolibc)
    target_sources(${name} PRIVATE ${guest_common}/libc.c)
    target_link_libraries(${name} PRIVATE picolibc::c)
  else()
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:guest_mem>)
  endif()
  if(ARG_WITHOUT_AGENT)
    target_compile_definitions(${name} PRIVATE GUEST_WITHOUT_TPROF)
  else()
    target_link_libraries(${name} PRIVATE tprof)
    guest_link_fragments(${name})
  endif()
endfunction()

# Links with the fragments of linker/ beside the guest's own script, as a kernel does.
function(guest_link_fragments name)
  file(GLOB fragments ${PROJECT_SOURCE_DIR}/linker/tprof_*.ld)
  foreach(fragment ${fragments})
    target_link_options(${name} PRIVATE LINKER:-T,${fragment})
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${fragment})
  endforeach()
endfunction()

function(tprof_guest_test what)
  cmake_parse_arguments(ARG "" "GUEST;EXPECT;TIMEOUT" "BOOT;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  math(EXPR limit "${ARG_TIMEOUT} - 5") # less than CTest's, so that boot can say that time is up
  set(expect)
  if(ARG_EXPECT)
    set(expect --expect ${ARG_EXPECT})
  endif()
  tprof_add_test(NAME guest.${what} LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT}
      COMMAND ${TPROF_GUEST_BOOT} --timeout ${limit} ${expect} ${ARG_BOOT}
          $<TARGET_FILE:${ARG_GUEST}>)
endfunction()

function(tprof_source_test what)
  cmake_parse_arguments(ARG "UNOPTIMIZED" "GUEST;TOOL;OPTIONS;WORK;CALLS;CORES;TIMEOUT"
      "LABELS" ${ARGN})
  set(program test_source_${what})
  set(command ${program})
  if(NOT ARG_CORES)
    set(ARG_CORES 1)
  endif()
  if(TARGET ${ARG_GUEST})
    add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/accuracy/test_source.c)
    target_compile_definitions(${program} PRIVATE
        LAB_GUEST="$<TARGET_FILE:${ARG_GUEST}>" LAB_TOOL="${ARG_TOOL}"
        LAB_OPTIONS="${ARG_OPTIONS}" LAB_WORK="${ARG_WORK}" LAB_CORES=${ARG_CORES}
        LAB_UNOPTIMIZED=$<BOOL:${ARG_UNOPTIMIZED}>
        LAB_CALLS="${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CALLS}")
    target_link_libraries(${program} PRIVATE lab tprof_check tprof_hosted)
    add_dependencies(${program} ${ARG_GUEST})
  else()
    set(command sh -c "echo 'SKIP: no compiler for ${ARG_GUEST}' && exit 77")
  endif()
  tprof_add_test(NAME guest.${what} COMMAND ${command}
      LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT})
endfunction()
