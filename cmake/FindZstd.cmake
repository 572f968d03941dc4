# SPDX-License-Identifier: BSD-2-Clause
# zstd::zstd: libzstd (Debian: libzstd-dev).
find_path(Zstd_INCLUDE_DIR zstd.h)
find_library(Zstd_LIBRARY zstd)
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd REASON_FAILURE_MESSAGE "install libzstd-dev"
    REQUIRED_VARS Zstd_LIBRARY Zstd_INCLUDE_DIR)

if(Zstd_FOUND AND NOT TARGET zstd::zstd)
  add_library(zstd::zstd UNKNOWN IMPORTED)
  set_target_properties(zstd::zstd PROPERTIES
      IMPORTED_LOCATION ${Zstd_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Zstd_INCLUDE_DIR})
endif()
