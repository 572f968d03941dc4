# SPDX-License-Identifier: BSD-2-Clause
# libmd::libmd: message digests (Debian: libmd-dev).
find_path(Libmd_INCLUDE_DIR sha2.h)
find_library(Libmd_LIBRARY md)
mark_as_advanced(Libmd_INCLUDE_DIR Libmd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libmd REASON_FAILURE_MESSAGE "install libmd-dev"
    REQUIRED_VARS Libmd_LIBRARY Libmd_INCLUDE_DIR)

if(Libmd_FOUND AND NOT TARGET libmd::libmd)
  add_library(libmd::libmd UNKNOWN IMPORTED)
  set_target_properties(libmd::libmd PROPERTIES
      IMPORTED_LOCATION ${Libmd_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Libmd_INCLUDE_DIR})
endif()
