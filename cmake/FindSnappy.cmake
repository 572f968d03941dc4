# SPDX-License-Identifier: BSD-2-Clause
# snappy::snappy: compression, by its C interface (Debian: libsnappy-dev).
find_path(Snappy_INCLUDE_DIR snappy-c.h)
find_library(Snappy_LIBRARY snappy)
mark_as_advanced(Snappy_INCLUDE_DIR Snappy_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Snappy REASON_FAILURE_MESSAGE "install libsnappy-dev"
    REQUIRED_VARS Snappy_LIBRARY Snappy_INCLUDE_DIR)

if(Snappy_FOUND AND NOT TARGET snappy::snappy)
  add_library(snappy::snappy UNKNOWN IMPORTED)
  set_target_properties(snappy::snappy PROPERTIES
      IMPORTED_LOCATION ${Snappy_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Snappy_INCLUDE_DIR})
endif()
