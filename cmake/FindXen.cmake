# SPDX-License-Identifier: BSD-2-Clause
# xen::xen: Xen's libraries for dom0, with xenctrl.h (Debian: libxen-dev).
find_path(Xen_INCLUDE_DIR xenctrl.h)
set(Xen_LIBRARIES)
foreach(name xenctrl xenforeignmemory xenstore xentoollog)
  find_library(Xen_${name}_LIBRARY ${name})
  mark_as_advanced(Xen_${name}_LIBRARY)
  list(APPEND Xen_LIBRARIES ${Xen_${name}_LIBRARY})
endforeach()
mark_as_advanced(Xen_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Xen REASON_FAILURE_MESSAGE "install libxen-dev"
    REQUIRED_VARS Xen_xenctrl_LIBRARY Xen_xenforeignmemory_LIBRARY Xen_xenstore_LIBRARY
        Xen_xentoollog_LIBRARY Xen_INCLUDE_DIR)

if(Xen_FOUND AND NOT TARGET xen::xen)
  add_library(xen::xen INTERFACE IMPORTED GLOBAL)
  set_target_properties(xen::xen PROPERTIES
      INTERFACE_LINK_LIBRARIES "${Xen_LIBRARIES}"
      INTERFACE_INCLUDE_DIRECTORIES ${Xen_INCLUDE_DIR})
endif()
