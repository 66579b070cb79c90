# CPack: a folder to unpack anywhere (TGZ) and a Debian package (DEB), both of what Install.cmake
# installs. `./dev package` makes them into build/packages; package/layout.cmake moves what Debian's
# policy wants elsewhere.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_SOURCE_DIR}/build/packages")
set(CPACK_PACKAGE_VENDOR "the torchleak authors")
set(CPACK_PACKAGE_CONTACT "the torchleak authors <torchleak@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "static analyzer for PyTorch training code")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_SYSTEM_NAME)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package/layout.cmake")

set(CPACK_PACKAGE_DESCRIPTION "\
torchleak reads Python code that trains models with PyTorch, and reports what
will leak or waste memory, or silently break training, together with the path
that shows why: where a graph is made, what frees it, where it is kept, what
it outlives. It never imports or runs the code that it reads.

It checks scripts, whole projects and Jupyter notebooks, mends what it can,
and brings a language server for editors. Reports are text, JSON, SARIF, HTML
and the formats of the usual CI services.")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
