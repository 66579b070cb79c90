# Defines fmt::fmt. With TORCHLEAK_STATIC_RUNTIME it is built from the installed headers
# (fmt_static.cpp, which fits fmt 9), and the C++ runtime is linked statically too. One without the
# other would put two copies of libstdc++ into the process.
if(TORCHLEAK_STATIC_RUNTIME AND TORCHLEAK_FMT_INCLUDE)
  file(STRINGS "${TORCHLEAK_FMT_INCLUDE}/fmt/core.h" version REGEX "define FMT_VERSION")
  if(version MATCHES "FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
    add_library(torchleak_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt_static.cpp")
    target_include_directories(torchleak_fmt SYSTEM PUBLIC "${TORCHLEAK_FMT_INCLUDE}")
    add_library(fmt::fmt ALIAS torchleak_fmt)
    if(MSVC)
      set(CMAKE_MSVC_RUNTIME_LIBRARY "MultiThreaded")
    elseif(NOT APPLE)
      add_link_options(-static-libstdc++ -static-libgcc)
    endif()
    return()
  endif()
  message(STATUS "fmt is not version 9: linking it and the C++ runtime as shared libraries")
endif()
find_package(fmt REQUIRED)
