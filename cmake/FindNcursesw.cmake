# SPDX-License-Identifier: BSD-2-Clause
# ncursesw::ncursesw: curses.h for wide characters, and term.h (Debian: libncurses-dev).
find_path(Ncursesw_INCLUDE_DIR curses.h)
find_library(Ncursesw_LIBRARY ncursesw)
find_library(Ncursesw_TINFO_LIBRARY tinfo)
mark_as_advanced(Ncursesw_INCLUDE_DIR Ncursesw_LIBRARY Ncursesw_TINFO_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ncursesw REASON_FAILURE_MESSAGE "install libncurses-dev"
    REQUIRED_VARS Ncursesw_LIBRARY Ncursesw_INCLUDE_DIR)

if(Ncursesw_FOUND AND NOT TARGET ncursesw::ncursesw)
  add_library(ncursesw::ncursesw UNKNOWN IMPORTED)
  set_target_properties(ncursesw::ncursesw PROPERTIES
      IMPORTED_LOCATION ${Ncursesw_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${Ncursesw_INCLUDE_DIR})
  if(Ncursesw_TINFO_LIBRARY) # where terminals are described in a library of their own
    set_target_properties(ncursesw::ncursesw PROPERTIES
        INTERFACE_LINK_LIBRARIES ${Ncursesw_TINFO_LIBRARY})
  endif()
endif()
