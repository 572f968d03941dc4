# SPDX-License-Identifier: BSD-2-Clause
# Compile flags as INTERFACE targets; link one of them, PRIVATE:
#   tprof_warnings    what every C file of ours must pass
#   tprof_bare        warnings, and how code is compiled that runs in a guest's
#                     interrupt: freestanding, general registers only, small stack
#   tprof_hosted      warnings, and hardening or sanitizers for what runs on the host
# No flag here reaches anybody who uses the installed library.
include_guard(GLOBAL)

option(TPROF_WERROR "Warnings are errors" OFF)
option(TPROF_FUZZ "Instrument host code for libFuzzer (clang only)" OFF)
option(TPROF_FUZZ_COMPARE
    "Have libFuzzer see what is compared, too: finds magic numbers, at half the speed" OFF)
option(TPROF_COVERAGE "Count the lines that tests run (tests/coverage)" OFF)
set(TPROF_SANITIZE "" CACHE STRING
    "Sanitizers for host code, e.g. address,undefined or thread")

add_library(tprof_warnings INTERFACE)
target_compile_options(tprof_warnings INTERFACE "$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;\
-Wpedantic;-Wshadow;-Wconversion;-Wcast-qual;-Wundef;-Wvla;-Wpointer-arith;-Wwrite-strings;\
-Wformat=2;-Wnull-dereference;-Wredundant-decls;-Wstrict-prototypes;-Wold-style-definition;\
-Wmissing-prototypes>"
    $<$<C_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:C>:-Wcast-align=strict>>
    # but a string as a condition is how CHECK(!"reason") fails
    $<$<C_COMPILER_ID:Clang>:$<$<COMPILE_LANGUAGE:C>:-Wcast-align;-Wno-string-conversion>>
    $<$<BOOL:${TPROF_WERROR}>:-Werror>)

add_library(tprof_bare INTERFACE)
target_link_libraries(tprof_bare INTERFACE tprof_warnings)
target_compile_options(tprof_bare INTERFACE
    -ffreestanding -mgeneral-regs-only
    -fno-stack-protector
    -ffunction-sections -fdata-sections
    # any address and any code model: relative addresses, and no GOT, since
    # everything we refer to is our own
    -fpie -fvisibility=hidden
    -fno-asynchronous-unwind-tables
    $<$<C_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:C>:-Wstack-usage=512>>
    $<$<C_COMPILER_ID:Clang>:$<$<COMPILE_LANGUAGE:C>:-Wframe-larger-than=512>>)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # aligned words, because others fault without an MMU; x18 belongs to the kernel
  target_compile_options(tprof_bare INTERFACE -mstrict-align -ffixed-x18
      $<$<C_COMPILER_ID:GNU>:-mno-outline-atomics>)
else()
  target_compile_options(tprof_bare INTERFACE -mno-red-zone -fcf-protection=none)
endif()

add_library(tprof_hosted INTERFACE)
target_link_libraries(tprof_hosted INTERFACE tprof_warnings)
target_compile_definitions(tprof_hosted INTERFACE _GNU_SOURCE)
if(TPROF_FUZZ)
  target_compile_options(tprof_hosted INTERFACE -fsanitize=fuzzer-no-link
      $<$<NOT:$<BOOL:${TPROF_FUZZ_COMPARE}>>:-fno-sanitize-coverage=trace-cmp>)
endif()
if(TPROF_SANITIZE)
  target_compile_options(tprof_hosted INTERFACE
      -fsanitize=${TPROF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tprof_hosted INTERFACE -fsanitize=${TPROF_SANITIZE})
else()
  target_compile_options(tprof_hosted INTERFACE -fstack-protector-strong)
  # needs the optimizer, and the sanitizers' interceptors without it
  target_compile_definitions(tprof_hosted INTERFACE
      $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
endif()
