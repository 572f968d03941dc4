# SPDX-License-Identifier: BSD-2-Clause
# jansson::jansson: jansson.h and its functions (Debian: libjansson-dev).
find_path(Jansson_INCLUDE_DIR jansson.h)
find_library(Jansson_LIBRARY jansson)
mark_as_advanced(Jansson_INCLUDE_DIR Jansson_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Jansson REASON_FAILURE_MESSAGE "install libjansson-dev"
    REQUIRED_VARS Jansson_LIBRARY Jansson_INCLUDE_DIR)

if(Jansson_FOUND AND NOT TARGET jansson::jansson)
  add_library(jansson::jansson UNKNOWN IMPORTED)
  set_target_properties(jansson::jansson PROPERTIES
      IMPORTED_LOCATION ${Jansson_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Jansson_INCLUDE_DIR})
endif()
