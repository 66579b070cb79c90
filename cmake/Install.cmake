# What `cmake --install` lays down: the program, what systems look for beside it, and a CMake package.
# Components: program, documentation, completions, development. Included by the top folder, after
# src/, which makes the generated files (build/share).
#
# The libraries are not exported: their headers promise nothing to anybody else yet. The program is,
# as torchleak::torchleak, with a function that turns a check into a test.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package "${CMAKE_CURRENT_LIST_DIR}/package")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/torchleak")

install(TARGETS torchleak EXPORT torchleak_targets
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)

install(FILES "${package}/copyright" LICENSE README.md
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation)
if(TARGET torchleak_share)
  set(share "${CMAKE_BINARY_DIR}/share")
  install(FILES "${share}/man/man1/torchleak.1"
    DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT documentation)
  install(FILES "${share}/torchleak/torchleak.schema.json"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/torchleak" COMPONENT documentation)
  foreach(file bash-completion/completions/torchleak zsh/site-functions/_torchleak
      fish/vendor_completions.d/torchleak.fish torchleak/torchleak.ps1)
    get_filename_component(folder "${file}" DIRECTORY)
    install(FILES "${share}/${file}"
      DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" COMPONENT completions)
  endforeach()
endif()

configure_package_config_file("${package}/torchleakConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/torchleakConfig.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/torchleakConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(EXPORT torchleak_targets NAMESPACE torchleak:: FILE torchleakTargets.cmake
  DESTINATION "${package_dir}" COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/torchleakConfig.cmake"
  "${PROJECT_BINARY_DIR}/torchleakConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)
