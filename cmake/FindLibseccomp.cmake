# SPDX-License-Identifier: BSD-2-Clause
# libseccomp::libseccomp: seccomp.h and its functions (Debian: libseccomp-dev).
find_path(Libseccomp_INCLUDE_DIR seccomp.h)
find_library(Libseccomp_LIBRARY seccomp)
mark_as_advanced(Libseccomp_INCLUDE_DIR Libseccomp_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libseccomp REASON_FAILURE_MESSAGE "install libseccomp-dev"
    REQUIRED_VARS Libseccomp_LIBRARY Libseccomp_INCLUDE_DIR)

if(Libseccomp_FOUND AND NOT TARGET libseccomp::libseccomp)
  add_library(libseccomp::libseccomp UNKNOWN IMPORTED)
  set_target_properties(libseccomp::libseccomp PROPERTIES
      IMPORTED_LOCATION ${Libseccomp_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Libseccomp_INCLUDE_DIR})
endif()
