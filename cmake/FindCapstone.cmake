# SPDX-License-Identifier: BSD-2-Clause
# capstone::capstone: capstone.h and its functions (Debian: libcapstone-dev).
find_path(Capstone_INCLUDE_DIR capstone.h PATH_SUFFIXES capstone)
find_library(Capstone_LIBRARY capstone)
mark_as_advanced(Capstone_INCLUDE_DIR Capstone_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Capstone REASON_FAILURE_MESSAGE "install libcapstone-dev"
    REQUIRED_VARS Capstone_LIBRARY Capstone_INCLUDE_DIR)

if(Capstone_FOUND AND NOT TARGET capstone::capstone)
  add_library(capstone::capstone UNKNOWN IMPORTED)
  set_target_properties(capstone::capstone PROPERTIES
      IMPORTED_LOCATION ${Capstone_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Capstone_INCLUDE_DIR})
endif()
