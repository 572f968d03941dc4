# SPDX-License-Identifier: BSD-2-Clause
# cmake --build BUILD --target package: a .deb of what is installed, by CPack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tprof)
set(CPACK_PACKAGE_VENDOR "tprof authors")
set(CPACK_PACKAGE_CONTACT "tprof authors <tprof@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
"The collector, which samples x86-64 unikernels by virtio-serial or virtio-vsock and
reports on them, and the library, headers and linker fragments of the agent that a
kernel links.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON) # the command: libtprof.a keeps its symbols
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # by dpkg-shlibdeps (Debian: dpkg-dev)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS qemu-system-x86)
include(CPack)
