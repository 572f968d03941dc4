# SPDX-License-Identifier: BSD-2-Clause
# debuginfod::debuginfod: images by build-id from servers (Debian: libdebuginfod-dev).
find_path(Debuginfod_INCLUDE_DIR elfutils/debuginfod.h)
find_library(Debuginfod_LIBRARY debuginfod)
mark_as_advanced(Debuginfod_INCLUDE_DIR Debuginfod_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Debuginfod REASON_FAILURE_MESSAGE "install libdebuginfod-dev"
    REQUIRED_VARS Debuginfod_LIBRARY Debuginfod_INCLUDE_DIR)

if(Debuginfod_FOUND AND NOT TARGET debuginfod::debuginfod)
  add_library(debuginfod::debuginfod UNKNOWN IMPORTED)
  set_target_properties(debuginfod::debuginfod PROPERTIES
      IMPORTED_LOCATION ${Debuginfod_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Debuginfod_INCLUDE_DIR})
endif()
