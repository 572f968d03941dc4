# SPDX-License-Identifier: BSD-2-Clause
# libmicrohttpd::libmicrohttpd: an HTTP server as a library (Debian: libmicrohttpd-dev).
find_path(Libmicrohttpd_INCLUDE_DIR microhttpd.h)
find_library(Libmicrohttpd_LIBRARY microhttpd)
mark_as_advanced(Libmicrohttpd_INCLUDE_DIR Libmicrohttpd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libmicrohttpd REASON_FAILURE_MESSAGE "install libmicrohttpd-dev"
    REQUIRED_VARS Libmicrohttpd_LIBRARY Libmicrohttpd_INCLUDE_DIR)

if(Libmicrohttpd_FOUND AND NOT TARGET libmicrohttpd::libmicrohttpd)
  add_library(libmicrohttpd::libmicrohttpd UNKNOWN IMPORTED)
  set_target_properties(libmicrohttpd::libmicrohttpd PROPERTIES
      IMPORTED_LOCATION ${Libmicrohttpd_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Libmicrohttpd_INCLUDE_DIR})
endif()
