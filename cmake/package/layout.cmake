# Run by CPack between installing and packing. Folders are open to all, whatever the umask of who packs.
#
# A Debian package has more to it: manual page and changelogs compressed (policy 12.1 and 12.7), zsh's
# completion where Debian's zsh looks, and no second copy of our licence, which the file copyright
# holds in full.
file(GLOB_RECURSE folders LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(folder IN LISTS folders)
  if(IS_DIRECTORY "${folder}")
    file(CHMOD "${folder}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
      GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share "${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share")
set(doc "${share}/doc/torchleak")

file(REMOVE "${doc}/LICENSE")
if(EXISTS "${share}/zsh/site-functions")
  file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
endif()

# The project's own changes, and those of the packaging, which follow the version.
configure_file("${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md" "${doc}/changelog" COPYONLY)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${doc}/changelog.Debian"
"torchleak (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; its changes are in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
set(texts "${doc}/changelog" "${doc}/changelog.Debian" "${share}/man/man1/torchleak.1")
file(CHMOD ${texts} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
