# SPDX-License-Identifier: BSD-2-Clause
# Kernels in Free Pascal, where there is an fpc; without, their tests are skipped.
#
#   tprof_pascal_guest(<name> PROGRAM p.pas UNITS u... [OPTIONS o...] [WITHOUT_AGENT])
#       Builds tests/guest/<name>.elf, target <name>, of a program and its units (without
#       .pas) in the current folder, the run-time library in its folder rtl, the unit
#       TProf, the kit's boot.S and trap.S, the truth plugin's marks, and libtprof.a.
#       OPTIONS are the compiler's. WITHOUT_AGENT leaves out libtprof.a and the fragments
#       of linker/; the unit TProf is that of the folder without.
#
#   tprof_pascal_test(<what> GUEST <name> COMMAND c... [LABELS l...] [TIMEOUT seconds])
#       CTest guest.pascal_<what>; skipped where <name> could not be built.
include_guard(GLOBAL)

find_program(TPROF_FPC fpc)

function(tprof_pascal_guest name)
  cmake_parse_arguments(ARG "WITHOUT_AGENT" "PROGRAM" "UNITS;OPTIONS" ${ARGN})
  if(NOT TPROF_FPC)
    return()
  endif()
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(unit ${PROJECT_SOURCE_DIR}/agent/pascal)
  if(ARG_WITHOUT_AGENT)
    set(unit ${here}/without)
  endif()
  set(kit ${PROJECT_SOURCE_DIR}/tests/guest/common)
  get_filename_component(program ${ARG_PROGRAM} NAME_WE)
  set(rtl objpas fpintres si_prc) # what the compiler adds to a program by itself
  file(GLOB sources ${here}/*.pas ${here}/rtl/*.pas ${unit}/*.pas)
  list(TRANSFORM ARG_UNITS PREPEND ${out}/ OUTPUT_VARIABLE objects)
  foreach(file system ${rtl} tprof ${program})
    list(APPEND objects ${out}/${file})
  endforeach()
  list(TRANSFORM objects APPEND .o)

  # -n: nothing but our own library is there; -Cn: a program, but linked below
  set(fpc ${TPROF_FPC} -n -l- -vewn -Sew -FU${out})
  # -gw3 crashes the compiler there, without debug information empty units have no object
  set(rtl_fpc ${fpc} -O2 -gw2)
  set(steps COMMAND ${rtl_fpc} -Us rtl/system.pas)
  foreach(file ${rtl})
    list(APPEND steps COMMAND ${rtl_fpc} rtl/${file}.pas)
  endforeach()
  add_custom_command(OUTPUT ${objects} WORKING_DIRECTORY ${here}
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${out}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
      ${steps}
      COMMAND ${fpc} ${ARG_OPTIONS} -MObjFPC -Cn -Fu${unit} -FE${out} ${ARG_PROGRAM}
      DEPENDS ${sources} VERBATIM)

  add_executable(${name} ${objects} ${kit}/boot.S ${kit}/trap.S ${kit}/../accuracy/marks.c)
  target_compile_options(${name} PRIVATE -O2 -ffreestanding -fno-pic -fno-pie -fcf-protection=none
      -mno-red-zone)
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINKER_LANGUAGE C
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/guest
      LINK_DEPENDS ${here}/kernel.ld)
  # boot.S calls guest_boot(), which is the program
  target_link_options(${name} PRIVATE -static -nostdlib
      LINKER:--gc-sections,--defsym=guest_boot=main,--build-id=sha1
      LINKER:-z,max-page-size=4096,-z,noexecstack)
  if(NOT ARG_WITHOUT_AGENT)
    target_link_options(${name} PRIVATE LINKER:-T,${PROJECT_SOURCE_DIR}/linker/tprof_bounds.ld
        LINKER:-T,${PROJECT_SOURCE_DIR}/linker/tprof_note.ld)
    target_link_libraries(${name} PRIVATE tprof)
  endif()
  target_link_options(${name} PRIVATE LINKER:-T,${here}/kernel.ld)
endfunction()

function(tprof_pascal_test what)
  cmake_parse_arguments(ARG "" "GUEST;TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT TARGET ${ARG_GUEST})
    set(ARG_COMMAND sh -c "echo 'SKIP: no fpc' && exit 77")
  endif()
  tprof_add_test(NAME guest.pascal_${what} COMMAND ${ARG_COMMAND}
      LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT})
endfunction()
