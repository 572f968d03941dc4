# SPDX-License-Identifier: BSD-2-Clause
# COFF, whatever the project's own compiler: what EFI applications are made of that clang
# and lld-link build.
#
#   TPROF_COFF    option: ON where clang and LLVM's tools are found
#
#   tprof_coff_library(<target> OUTPUT <file> SOURCES s... OPTIONS o...)
#       Builds <file> in the current binary folder; OPTIONS are for C. mem*, the
#       compiler's own calls of them, too, become tprof_mem*: nothing is hidden in COFF.
include_guard(GLOBAL)

find_program(TPROF_CLANG NAMES clang clang-14)
find_program(TPROF_LLVM_AR NAMES llvm-ar llvm-ar-14)
find_program(TPROF_LLVM_OBJCOPY NAMES llvm-objcopy llvm-objcopy-14)
mark_as_advanced(TPROF_CLANG TPROF_LLVM_AR TPROF_LLVM_OBJCOPY)
set(found OFF)
if(TPROF_CLANG AND TPROF_LLVM_AR AND TPROF_LLVM_OBJCOPY)
  set(found ON)
endif()
option(TPROF_COFF "Build tprof.lib, for EFI applications by clang and lld-link" ${found})

# the MSVC flavour differs in warnings and kind of debug information; they mix
set(TPROF_COFF_CC ${CMAKE_C_COMPILER_LAUNCHER} ${TPROF_CLANG} -target x86_64-unknown-windows-gnu)
set(TPROF_COFF_RENAME)
foreach(name memcpy memset memcmp)
  list(APPEND TPROF_COFF_RENAME --redefine-sym ${name}=tprof_${name})
endforeach()

function(tprof_coff_library target)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES;OPTIONS" ${ARGN})
  set(objects)
  foreach(source ${ARG_SOURCES})
    string(REPLACE "/" "." object ${target}.${source}.obj)
    set(options)
    if(source MATCHES "\\.c$")
      set(options ${ARG_OPTIONS})
    endif()
    add_custom_command(OUTPUT ${object}
        COMMAND ${TPROF_COFF_CC} ${options} -MD -MF ${object}.d -c
            ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
        COMMAND ${TPROF_LLVM_OBJCOPY} ${TPROF_COFF_RENAME} ${object}
        DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${ARG_OUTPUT}
      COMMAND ${CMAKE_COMMAND} -E rm -f ${ARG_OUTPUT}
      COMMAND ${TPROF_LLVM_AR} rc ${ARG_OUTPUT} ${objects}
      DEPENDS ${objects} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${ARG_OUTPUT})
endfunction()
