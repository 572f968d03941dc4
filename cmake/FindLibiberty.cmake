# SPDX-License-Identifier: BSD-2-Clause
# libiberty::libiberty: demangle.h and its functions (Debian: libiberty-dev).
find_path(Libiberty_INCLUDE_DIR demangle.h PATH_SUFFIXES libiberty)
find_library(Libiberty_LIBRARY iberty)
mark_as_advanced(Libiberty_INCLUDE_DIR Libiberty_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libiberty REASON_FAILURE_MESSAGE "install libiberty-dev"
    REQUIRED_VARS Libiberty_LIBRARY Libiberty_INCLUDE_DIR)

if(Libiberty_FOUND AND NOT TARGET libiberty::libiberty)
  add_library(libiberty::libiberty UNKNOWN IMPORTED)
  set_target_properties(libiberty::libiberty PROPERTIES
      IMPORTED_LOCATION ${Libiberty_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Libiberty_INCLUDE_DIR})
endif()
