# SPDX-License-Identifier: BSD-2-Clause
# elfutils::elf: libelf (Debian: libelf-dev), which reads ELF files for the collector.
# elfutils::dw: libdw (libdw-dev), only with COMPONENTS dw: what tests compare with.
find_path(Elfutils_INCLUDE_DIR gelf.h)
find_library(Elfutils_ELF_LIBRARY elf)
mark_as_advanced(Elfutils_INCLUDE_DIR Elfutils_ELF_LIBRARY)
set(Elfutils_elf_FOUND TRUE)
if("dw" IN_LIST Elfutils_FIND_COMPONENTS)
  find_path(Elfutils_DW_INCLUDE_DIR elfutils/libdw.h)
  find_library(Elfutils_DW_LIBRARY dw)
  mark_as_advanced(Elfutils_DW_INCLUDE_DIR Elfutils_DW_LIBRARY)
  if(Elfutils_DW_INCLUDE_DIR AND Elfutils_DW_LIBRARY)
    set(Elfutils_dw_FOUND TRUE)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Elfutils REASON_FAILURE_MESSAGE "install libelf-dev"
    REQUIRED_VARS Elfutils_ELF_LIBRARY Elfutils_INCLUDE_DIR HANDLE_COMPONENTS)

if(Elfutils_FOUND AND NOT TARGET elfutils::elf)
  add_library(elfutils::elf UNKNOWN IMPORTED)
  set_target_properties(elfutils::elf PROPERTIES
      IMPORTED_LOCATION ${Elfutils_ELF_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Elfutils_INCLUDE_DIR})
endif()
if(Elfutils_dw_FOUND AND NOT TARGET elfutils::dw)
  add_library(elfutils::dw UNKNOWN IMPORTED)
  set_target_properties(elfutils::dw PROPERTIES
      IMPORTED_LOCATION ${Elfutils_DW_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Elfutils_DW_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES elfutils::elf)
endif()
