# SPDX-License-Identifier: BSD-2-Clause
# Guests in C++, where there is a g++ or a clang++: the project's own languages are C
# and assembly, and need neither.
#
#   tprof_cxx_guest(<name> COMPILER c SOURCES s... [OPTIONS o...] [KIT k...])
#       Builds tests/guest/<name>.elf, target <name>, as tprof_guest() does, of C++
#       sources in the current folder, compiled by c, and of C sources KIT. No target
#       where c is NOTFOUND.
include_guard(GLOBAL)
include(TprofGuest)

# Free of what only a hosted C++ has, and as strict as C is here.
set(cxx_guest_options -std=c++20 -g -ffreestanding -fno-pic -fno-pie
    -fno-exceptions -fno-rtti -fno-threadsafe-statics
    -mno-red-zone -mgeneral-regs-only -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
    -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables
    -Wall -Wextra -Wpedantic -Wold-style-cast -Wconversion -Wshadow -Wcast-qual -Wundef
    -Wzero-as-null-pointer-constant)
if(TPROF_WERROR)
  list(APPEND cxx_guest_options -Werror)
endif()

function(tprof_cxx_guest name)
  cmake_parse_arguments(ARG "" "COMPILER" "SOURCES;OPTIONS;KIT" ${ARGN})
  if(NOT ARG_COMPILER)
    return()
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${out})
  foreach(source ${ARG_SOURCES})
    set(object ${out}/${source}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${ARG_COMPILER} ${cxx_guest_options} ${ARG_OPTIONS}
            -I${PROJECT_SOURCE_DIR}/agent/include -MD -MF ${object}.d
            -o ${object} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source}
        DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  tprof_guest(${name} SOURCES ${objects} ${ARG_KIT})
endfunction()
