# SPDX-License-Identifier: BSD-2-Clause
# elfutils::dw: libdw with libdwfl, and libelf beside it (Debian: libdw-dev).
find_path(Elfutils_INCLUDE_DIR elfutils/libdwfl.h)
find_library(Elfutils_DW_LIBRARY dw)
find_library(Elfutils_ELF_LIBRARY elf)
mark_as_advanced(Elfutils_INCLUDE_DIR Elfutils_DW_LIBRARY Elfutils_ELF_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Elfutils REASON_FAILURE_MESSAGE "install libdw-dev"
    REQUIRED_VARS Elfutils_DW_LIBRARY Elfutils_ELF_LIBRARY Elfutils_INCLUDE_DIR)

if(Elfutils_FOUND AND NOT TARGET elfutils::dw)
  add_library(elfutils::dw UNKNOWN IMPORTED)
  set_target_properties(elfutils::dw PROPERTIES
      IMPORTED_LOCATION ${Elfutils_DW_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Elfutils_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES ${Elfutils_ELF_LIBRARY})
endif()
