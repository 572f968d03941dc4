# SPDX-License-Identifier: BSD-2-Clause
# picolibc::c: the C library of guests that want one; libtprof.a never links it.
# Built with the compiler at hand when a guest needs it, from the tarball that
# fetch-picolibc.sh finds, or from PICOLIBC_TARBALL.
include_guard(GLOBAL)
include(ExternalProject)

set(PICOLIBC_TARBALL "" CACHE FILEPATH "Source of picolibc 1.8.10 as .tar.gz; empty: fetch it")

set(dir ${CMAKE_BINARY_DIR}/picolibc)
set(tarball ${dir}/picolibc.tar.gz)
if(PICOLIBC_TARBALL)
  set(fetch ${CMAKE_COMMAND} -E copy ${PICOLIBC_TARBALL} ${tarball})
else()
  set(fetch ${CMAKE_CURRENT_LIST_DIR}/fetch-picolibc.sh ${tarball})
endif()

# As guests are compiled, but with all registers: it is no interrupt's code.
set(flags "-O2 -g -ffreestanding -fno-pic -fno-pie -mno-red-zone \
-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-stack-protector \
-fcf-protection=none -fno-asynchronous-unwind-tables -w")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # keep all frames, as in TprofGuest.cmake
  set(flags "${flags} -pg -mno-fentry -mnop-mcount")
endif()

ExternalProject_Add(picolibc_build
    PREFIX ${dir} EXCLUDE_FROM_ALL ON
    SOURCE_DIR ${dir}/src/picolibc-1.8.10
    DOWNLOAD_DIR ${dir}/src
    DOWNLOAD_COMMAND ${fetch} COMMAND ${CMAKE_COMMAND} -E tar xzf ${tarball}
    CMAKE_ARGS
        -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=x86_64
        -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
        -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_ASM_COMPILER=${CMAKE_C_COMPILER}
        -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
        -DCMAKE_C_FLAGS=${flags} -DCMAKE_ASM_FLAGS=${flags} -DCMAKE_BUILD_TYPE=None
        -DCMAKE_INSTALL_PREFIX=${dir}
        -D__SINGLE_THREAD=ON -D__THREAD_LOCAL_STORAGE=OFF -D__GLOBAL_ERRNO=ON
        -D__IO_LONG_LONG=ON -D__IO_FLOAT=OFF
    BUILD_COMMAND ${CMAKE_COMMAND} --build . -j 2
    LOG_DOWNLOAD ON LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON LOG_OUTPUT_ON_FAILURE ON
    BUILD_BYPRODUCTS ${dir}/lib/libc.a)

# Where another compiler is asked for, CMake would forget the arguments with the cache, and
# the library would be installed in the system's folders.
ExternalProject_Add_Step(picolibc_build begin_anew DEPENDEES patch DEPENDERS configure
    COMMAND ${CMAKE_COMMAND} -E rm -f <BINARY_DIR>/CMakeCache.txt)

file(MAKE_DIRECTORY ${dir}/include) # exists before the library does
add_library(picolibc::c STATIC IMPORTED GLOBAL)
add_dependencies(picolibc::c picolibc_build)
set_target_properties(picolibc::c PROPERTIES
    IMPORTED_LOCATION ${dir}/lib/libc.a
    INTERFACE_INCLUDE_DIRECTORIES ${dir}/include)
