# SPDX-License-Identifier: BSD-2-Clause
# One function per test kind. All tests: exit status 0 pass, 77 skip with the
# reason printed as "SKIP: reason", else fail; each has a timeout.
#
#   tprof_add_test(NAME kind.what COMMAND program args... [NEEDS targets...]
#                  [LABELS l...] [TIMEOUT seconds] [PROPERTIES key value...])
#       Any test. Its first label is the part of the name before the first dot.
#       Labels with a meaning for tests/run: `slow`, only `ctest -C Slow` and `tests/run
#       --all` run the test; `nightly`, only `ctest -C Nightly` and `tests/run --nightly`
#       do, which run the slow ones, too: for the long brother of a test that stays;
#       `smoke`, a guest test that the clang build runs, too; `host`,
#       a test without guests that runs where unit tests do; `once`, one that costs much
#       and would tell nothing new of another compiler's build: only the build with
#       sanitizers runs it; `thread`, one for the thread sanitizer. Default timeout: 60 s.
#
#       tests/costs.txt has the tests that take long. They are begun first, also where
#       nothing has run yet; and those that wait most of the time run beside others.
#       PROCESSORS are halves of a core: a test has two, one that waits has one. So CTest
#       is run with -j twice the cores, as tests/run does.
#
#       NEEDS: targets that must be built before the test can run, besides those that
#       COMMAND names: a target as program, $<TARGET_FILE:target>, or the path of a guest.
#       `tests/run NAME` builds only what the tests that match NAME need.
#
#   tprof_write_needs()
#       Call once, when all tests are there. Writes two files in the build tree:
#       tests/needs, a line "test: target target..." for each test, and tests/unneeded, a
#       line for each program below tests/ that no test needs, as the benches are.
#
#   tprof_unit_test(<module> [LIBS l...] [SOURCES s...] [LABELS l...] [TIMEOUT n])
#       Builds test_<module>.c of the current folder with check.c; runs it as
#       unit.<module>.
#
#   tprof_fuzz_test(<entry> [LIBS l...] [SOURCES s...])
#       Builds fuzz_<entry>.c, which defines LLVMFuzzerTestOneInput(); runs it over
#       the inputs of corpus/<entry>.tar, and of the folder corpus/<entry> if there is
#       one, as fuzz.<entry>. The archive is unpacked into the build. Configured with clang,
#       TPROF_FUZZ=ON and TPROF_SANITIZE=address,undefined, it is a libFuzzer program:
#           ./fuzz_<entry> -max_total_time=600 NEW_DIR CORPUS_DIR
#
#   tprof_guest_test(...) is in TprofGuest.cmake.
include_guard(GLOBAL)

add_custom_target(tprof_agent_tests)  # programs of the unit tests of the agent, and the simulation
add_custom_target(tprof_fuzz_tests)

# "NAME SECONDS [waits]" becomes the variable tprof_cost_NAME: SECONDS, perhaps ;waits
set(tprof_costs ${PROJECT_SOURCE_DIR}/tests/costs.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tprof_costs})
file(STRINGS ${tprof_costs} lines REGEX "^[^#]")
foreach(line ${lines})
  string(REPLACE " " ";" words "${line}")
  list(POP_FRONT words name)
  set(tprof_cost_${name} ${words})
endforeach()

function(tprof_add_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "COMMAND;NEEDS;LABELS;PROPERTIES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tprof_add_test: what is ${ARG_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  string(REGEX REPLACE "\\..*" "" kind ${ARG_NAME})
  # scripts look for sentences in the text of a pipe, and not for lines of 80 columns
  set(columns)
  if(kind MATCHES "^(guest|system|accuracy|push)$" AND NOT ARG_NAME MATCHES "top|terminal")
    set(columns ENVIRONMENT COLUMNS=100)
  endif()
  set(when)
  if("slow" IN_LIST ARG_LABELS)
    set(when CONFIGURATIONS Slow Nightly)
  elseif("nightly" IN_LIST ARG_LABELS)
    set(when CONFIGURATIONS Nightly)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_COMMAND} ${when})
  set_tests_properties(${ARG_NAME} PROPERTIES
      LABELS "${kind};${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
      PROCESSORS 2 ${columns} ${ARG_PROPERTIES})
  if(DEFINED tprof_cost_${ARG_NAME})
    list(GET tprof_cost_${ARG_NAME} 0 seconds)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${seconds})
    if("waits" IN_LIST tprof_cost_${ARG_NAME})
      set_tests_properties(${ARG_NAME} PROPERTIES PROCESSORS 1)
    endif()
  endif()
  test_needs(${ARG_NAME} "${ARG_COMMAND}" "${ARG_NEEDS}")
endfunction()

# Note what test (name) needs: (needs), and what (command) tells.
function(test_needs name command needs)
  if("${PROJECT_BINARY_DIR}" IN_LIST command AND NOT needs)
    message(FATAL_ERROR "${name} is given the build folder: name by NEEDS the targets "
        "that it takes from there (NEEDS none, if it takes none)")
  endif()
  foreach(word ${command})
    if(word MATCHES "TARGET_FILE(_DIR)?:([^>]+)>")
      list(APPEND needs ${CMAKE_MATCH_2})
    elseif(word MATCHES "^${PROJECT_BINARY_DIR}/tests/guest/([^/]+)[.]elf$")
      list(APPEND needs ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(GET command 0 program)
  if(TARGET ${program})
    list(APPEND needs ${program})
  endif()
  list(REMOVE_ITEM needs none)
  list(REMOVE_DUPLICATES needs)
  set_property(GLOBAL APPEND PROPERTY tprof_needed ${needs})
  string(REPLACE ";" " " needs "${needs}")
  set_property(GLOBAL APPEND_STRING PROPERTY tprof_needs "${name}: ${needs}\n")
endfunction()

function(tprof_write_needs)
  get_property(needs GLOBAL PROPERTY tprof_needs)
  file(WRITE ${PROJECT_BINARY_DIR}/tests/needs "${needs}")
  programs_below(${CMAKE_CURRENT_SOURCE_DIR} programs)
  get_property(needed GLOBAL PROPERTY tprof_needed)
  list(REMOVE_ITEM programs ${needed})
  list(JOIN programs "\n" programs)
  file(WRITE ${PROJECT_BINARY_DIR}/tests/unneeded "${programs}\n")
endfunction()

# All programs of (folder) and of the folders below it.
function(programs_below folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  set(programs)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      list(APPEND programs ${target})
    endif()
  endforeach()
  foreach(below ${folders})
    programs_below(${below} more)
    list(APPEND programs ${more})
  endforeach()
  set(${result} ${programs} PARENT_SCOPE)
endfunction()

function(tprof_unit_test module)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LIBS;SOURCES;LABELS" ${ARGN})
  add_executable(test_${module} test_${module}.c ${ARG_SOURCES})
  target_link_libraries(test_${module} PRIVATE ${ARG_LIBS} tprof_check tprof_hosted)
  if("tprof_agent_host" IN_LIST ARG_LIBS)
    list(APPEND ARG_LABELS agent)
    add_dependencies(tprof_agent_tests test_${module})
  endif()
  tprof_add_test(NAME unit.${module} COMMAND test_${module}
      LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT})
endfunction()

function(tprof_fuzz_test entry)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LIBS;SOURCES;LABELS" ${ARGN})
  set(archive ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${entry}.tar)
  set(corpus ${CMAKE_CURRENT_BINARY_DIR}/corpus/${entry})
  add_custom_command(OUTPUT ${corpus}.unpacked DEPENDS ${archive}
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${corpus}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${corpus}
      COMMAND ${CMAKE_COMMAND} -E chdir ${corpus} ${CMAKE_COMMAND} -E tar xf ${archive}
      COMMAND ${CMAKE_COMMAND} -E touch ${corpus}.unpacked)
  add_custom_target(fuzz_corpus_${entry} DEPENDS ${corpus}.unpacked)
  file(GLOB fresh CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${entry}/*)
  if(fresh)
    list(APPEND corpus ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${entry})
  endif()
  add_executable(fuzz_${entry} fuzz_${entry}.c ${ARG_SOURCES})
  target_link_libraries(fuzz_${entry} PRIVATE ${ARG_LIBS} tprof_hosted)
  add_dependencies(fuzz_${entry} fuzz_corpus_${entry})
  add_dependencies(tprof_fuzz_tests fuzz_${entry})
  if(TPROF_FUZZ)
    target_link_options(fuzz_${entry} PRIVATE -fsanitize=fuzzer)
    set(replay -runs=0)
  else()
    target_sources(fuzz_${entry} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/replay.c)
    set(replay)
  endif()
  tprof_add_test(NAME fuzz.${entry} COMMAND fuzz_${entry} ${replay} ${corpus}
      LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT})
endfunction()
