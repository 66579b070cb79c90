# Defines fmt::fmt. With TORCHLEAK_STATIC_RUNTIME it is made from the headers (fmt_static.cpp fits fmt 9), and
# the C++ runtime is linked statically too. One without the other would put two copies of libstdc++ into the
# process.
macro(torchleak_link_runtime_statically)
  if(MSVC)
    set(CMAKE_MSVC_RUNTIME_LIBRARY "MultiThreaded")
  elseif(NOT APPLE)
    add_link_options(-static-libstdc++ -static-libgcc)
  endif()
endmacro()

if(TORCHLEAK_STATIC_RUNTIME AND TORCHLEAK_FMT_INCLUDE)
  file(STRINGS "${TORCHLEAK_FMT_INCLUDE}/fmt/core.h" version REGEX "define FMT_VERSION")
  if(version MATCHES "FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
    add_library(torchleak_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt_static.cpp")
    target_include_directories(torchleak_fmt SYSTEM PUBLIC "${TORCHLEAK_FMT_INCLUDE}")
    add_library(fmt::fmt ALIAS torchleak_fmt)
    torchleak_link_runtime_statically()
    return()
  endif()
  # Any other version: its headers alone. They cost compile time, and are all that is certain to be there.
  add_library(torchleak_fmt INTERFACE)
  target_include_directories(torchleak_fmt SYSTEM INTERFACE "${TORCHLEAK_FMT_INCLUDE}")
  target_compile_definitions(torchleak_fmt INTERFACE FMT_HEADER_ONLY)
  add_library(fmt::fmt ALIAS torchleak_fmt)
  torchleak_link_runtime_statically()
  return()
endif()
find_package(fmt REQUIRED)
