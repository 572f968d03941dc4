# SPDX-License-Identifier: BSD-2-Clause
# Guests in Rust, where there is a rustc and the sources of its `core` (Debian: rustc and
# rust-src); without, their tests are skipped.
#
#   tprof_rust_guest(<name> CRATE main.rs SOURCES s... [OPTIONS o...] [KIT k...])
#       Builds tests/guest/<name>.elf, target <name>, as tprof_guest() does, of a crate
#       without std in the current folder, made of SOURCES, and of C sources KIT.
#       OPTIONS are rustc's.
#
# `core` is compiled here, once: a profiler's interrupt runs on the interrupted stack, and
# callers are found by frame pointers, so there can be no red zone and no SSE, and each
# function needs a frame; Debian has no such library. That takes 20 s.
include_guard(GLOBAL)
include(TprofGuest)

# What rustc says of itself, and the sources that are of the same version.
function(rust_find)
  foreach(rustc ${ARGN})
    execute_process(COMMAND ${rustc} --version OUTPUT_VARIABLE said ERROR_QUIET)
    execute_process(COMMAND ${rustc} --print sysroot OUTPUT_VARIABLE sysroot ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${said}")
    foreach(library /usr/src/rustc-${version}/library ${sysroot}/lib/rustlib/src/rust/library)
      if(version AND EXISTS ${library}/core/src/lib.rs)
        set(TPROF_RUSTC ${rustc} PARENT_SCOPE)
        set(rust_version ${said} PARENT_SCOPE)
        set(rust_library ${library} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

# A newer rustc, by its own installer, may come first in the path.
find_program(TPROF_RUSTC_DEBIAN rustc PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TPROF_RUSTC_OTHER rustc)
rust_find(${TPROF_RUSTC_DEBIAN} ${TPROF_RUSTC_OTHER})

set(rust_out ${PROJECT_BINARY_DIR}/rust)
set(rust_stub ${PROJECT_SOURCE_DIR}/tests/guest/rust/compiler_builtins.rs)
# the first word: `core`, and with it each `rustc` here, may use what is not yet stable
set(rustc ${CMAKE_COMMAND} -E env RUSTC_BOOTSTRAP=1 ${TPROF_RUSTC}
    --target x86_64-unknown-none --edition=2021 -L ${rust_out}
    -C panic=abort -C force-frame-pointers=yes -C embed-bitcode=no
    -C relocation-model=static -C code-model=small)
if(TPROF_RUSTC)
  file(MAKE_DIRECTORY ${rust_out})
  set(core ${rustc} --crate-type=rlib --crate-name=core -C opt-level=2 -C debuginfo=1
      --cfg no_fp_fmt_parse -A warnings -o ${rust_out}/libcore.rlib
      ${rust_library}/core/src/lib.rs)
  string(REPLACE ${rust_out} "" key "${rust_version} ${core}")
  string(SHA256 key "${key}")
  string(SUBSTRING ${key} 0 16 key)
  add_custom_command(OUTPUT ${rust_out}/libcore.rlib
      COMMAND ${PROJECT_SOURCE_DIR}/cmake/cached.sh rust-core-${key} ${rust_out}/libcore.rlib ${core}
      COMMENT "Compiling Rust's core" VERBATIM)
  add_custom_command(OUTPUT ${rust_out}/libcompiler_builtins.rlib
      COMMAND ${rustc} --crate-type=rlib --crate-name=compiler_builtins
          -o ${rust_out}/libcompiler_builtins.rlib ${rust_stub}
      DEPENDS ${rust_out}/libcore.rlib ${rust_stub} VERBATIM)
  add_custom_target(rust_core
      DEPENDS ${rust_out}/libcore.rlib ${rust_out}/libcompiler_builtins.rlib)
endif()

function(tprof_rust_guest name)
  cmake_parse_arguments(ARG "" "CRATE" "SOURCES;OPTIONS;KIT" ${ARGN})
  if(NOT TPROF_RUSTC)
    return()
  endif()
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.a)
  set(lint -D warnings)
  if(NOT TPROF_WERROR)
    set(lint)
  endif()
  add_custom_command(OUTPUT ${archive} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND ${rustc} --crate-type=staticlib --crate-name=kernel -C debuginfo=2 ${lint}
          ${ARG_OPTIONS} -o ${archive} ${ARG_CRATE}
      DEPENDS rust_core ${rust_out}/libcompiler_builtins.rlib ${ARG_SOURCES}
          ${PROJECT_SOURCE_DIR}/agent/rust/tprof.rs VERBATIM)
  add_custom_target(${name}_crate DEPENDS ${archive})
  tprof_guest(${name} SOURCES ${ARG_KIT} LIBS ${archive})
  add_dependencies(${name} ${name}_crate)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${archive})
  # parts of `core` want functions that nobody here has, and are not used
  target_link_options(${name} PRIVATE LINKER:--gc-sections)
endfunction()
