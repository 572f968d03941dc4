# SPDX-License-Identifier: BSD-2-Clause
# picolibc::c: the C library of guests that want one; libtprof.a never links it.
# Built with the compiler at hand when a guest needs it, from the tarball that
# fetch-picolibc.sh finds, or from PICOLIBC_TARBALL; once for each compiler and all
# that is said here, as cached.sh has it.
include_guard(GLOBAL)

set(PICOLIBC_TARBALL "" CACHE FILEPATH "Source of picolibc 1.8.10 as .tar.gz; empty: fetch it")

set(version 1.8.10)
set(dir ${CMAKE_BINARY_DIR}/picolibc)

# As guests are compiled, but with all registers: it is no interrupt's code.
set(flags "-O2 -g -ffreestanding -fno-pic -fno-pie -mno-red-zone \
-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-stack-protector \
-fcf-protection=none -fno-asynchronous-unwind-tables -w")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # keep all frames, as in TprofGuest.cmake
  set(flags "${flags} -pg -mno-fentry -mnop-mcount")
endif()

set(arguments -G "${CMAKE_GENERATOR}"
    -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=x86_64
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
    -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_ASM_COMPILER=${CMAKE_C_COMPILER}
    -DCMAKE_BUILD_TYPE=None
    -D__SINGLE_THREAD=ON -D__THREAD_LOCAL_STORAGE=OFF -D__GLOBAL_ERRNO=ON
    -D__IO_LONG_LONG=ON -D__IO_FLOAT=OFF)

file(READ ${CMAKE_CURRENT_LIST_DIR}/picolibc.sh script)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/picolibc.sh)
execute_process(COMMAND ${CMAKE_C_COMPILER} --version OUTPUT_VARIABLE compiler)
set(sum)
if(PICOLIBC_TARBALL)
  file(SHA256 ${PICOLIBC_TARBALL} sum)
endif()
string(SHA256 key "${compiler} ${flags} ${arguments} ${script} ${sum}")
string(SUBSTRING ${key} 0 16 key)

add_custom_command(OUTPUT ${dir}/lib/libc.a
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/cached.sh picolibc-${version}-${key} ${dir}
        ${CMAKE_COMMAND} -E env "PICOLIBC_FLAGS=${flags}"
        ${CMAKE_CURRENT_LIST_DIR}/picolibc.sh ${version} "${PICOLIBC_TARBALL}" ${dir} ${arguments}
        -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
    COMMENT "Building picolibc" VERBATIM)
add_custom_target(picolibc_build DEPENDS ${dir}/lib/libc.a)

file(MAKE_DIRECTORY ${dir}/include) # exists before the library does
add_library(picolibc::c STATIC IMPORTED GLOBAL)
add_dependencies(picolibc::c picolibc_build)
set_target_properties(picolibc::c PROPERTIES
    IMPORTED_LOCATION ${dir}/lib/libc.a
    INTERFACE_INCLUDE_DIRECTORIES ${dir}/include)
