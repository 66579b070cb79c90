# Where other projects' code comes from: TORCHLEAK_THIRD_PARTY when it is laid out there (see
# python/backend/third_party.py), else the system and grammars/node_modules. Defines
# nlohmann_json::nlohmann_json, CLI11::CLI11, torchleak_tomlplusplus, torchleak_xxhash, fmt::fmt and
# Threads::Threads; sets TORCHLEAK_GRAMMARS, the folder of tree-sitter and tree-sitter-python.

# torchleak_headers(<target> <include folder>)
function(torchleak_headers target folder)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folder}")
endfunction()

# torchleak_found(<what> <found> <Debian package>): an error that names the way out, unless found.
function(torchleak_found what found package)
  if(NOT found)
    message(FATAL_ERROR "${what} is not installed. On Debian and Ubuntu: apt-get install ${package}. "
      "CONTRIBUTING.md lists what a build needs; a source distribution carries all of it.")
  endif()
endfunction()

if(TORCHLEAK_THIRD_PARTY AND EXISTS "${TORCHLEAK_THIRD_PARTY}/include")
  message(STATUS "Other projects' sources: ${TORCHLEAK_THIRD_PARTY}")
  foreach(target nlohmann_json::nlohmann_json CLI11::CLI11 torchleak_tomlplusplus torchleak_xxhash)
    torchleak_headers(${target} "${TORCHLEAK_THIRD_PARTY}/include")
  endforeach()
  set(TORCHLEAK_FMT_INCLUDE "${TORCHLEAK_THIRD_PARTY}/include")
  set(TORCHLEAK_GRAMMARS "${TORCHLEAK_THIRD_PARTY}/grammars")
else()
  find_package(nlohmann_json QUIET)
  torchleak_found(nlohmann_json "${nlohmann_json_FOUND}" nlohmann-json3-dev)
  find_package(CLI11 QUIET)
  torchleak_found(CLI11 "${CLI11_FOUND}" libcli11-dev)
  # Only the headers of toml++: linking its target would add a shared library for one file's sake.
  find_package(tomlplusplus QUIET)
  torchleak_found(toml++ "${tomlplusplus_FOUND}" libtomlplusplus-dev)
  get_target_property(toml_include tomlplusplus::tomlplusplus INTERFACE_INCLUDE_DIRECTORIES)
  torchleak_headers(torchleak_tomlplusplus "${toml_include}")
  find_path(TORCHLEAK_XXHASH_INCLUDE xxhash.h)
  torchleak_found(xxhash.h "${TORCHLEAK_XXHASH_INCLUDE}" libxxhash-dev)
  torchleak_headers(torchleak_xxhash "${TORCHLEAK_XXHASH_INCLUDE}")
  find_path(TORCHLEAK_FMT_INCLUDE fmt/format-inl.h)
  torchleak_found(fmt "${TORCHLEAK_FMT_INCLUDE}" libfmt-dev)
  set(TORCHLEAK_GRAMMARS "${CMAKE_CURRENT_SOURCE_DIR}/grammars/node_modules")
endif()

include(Fmt)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
