# torchleak_layer(<name> [SMALL] [DEPS <layer>…] [LIBS <target>…] [SOURCES <file>…])
#
# Defines torchleak_<name> from every *.cpp of the calling folder (main.cpp aside, which belongs to an
# executable), plus SOURCES, usually generated. DEPS are the layers below that this one may use, and
# no others; LIBS are targets from outside. Both are passed on to whoever links the layer. SMALL: the time
# of a check is not spent here, and the code is optimised for size, which halves it.
#
# A folder with headers only becomes an INTERFACE library, so that the callers need not care.

# The flags for our own code, never for other people's. The three that are switched off judge optimised
# code, and g++ 12 gets them wrong inside libstdc++ and fmt (its bug 105651 is one case). Warnings are
# errors only where developers build (the presets say so): a newer compiler's new warning must not stop
# those who only want the program.
function(torchleak_our_code target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:MSVC>:/W4>
    $<$<NOT:$<CXX_COMPILER_ID:MSVC>>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-maybe-uninitialized>)
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ${TORCHLEAK_WERROR})
endfunction()

# For what is not on the hot path.
function(torchleak_for_size target)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CONFIG:Release>,$<NOT:$<CXX_COMPILER_ID:MSVC>>>:-Os>)
endfunction()

function(torchleak_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SMALL" "" "DEPS;LIBS;SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "torchleak_layer(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()

  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(APPEND sources ${arg_SOURCES})

  set(target torchleak_${name})
  if(sources)
    set(visibility PUBLIC)
    add_library(${target} STATIC ${sources})
    torchleak_our_code(${target})
    if(arg_SMALL)
      torchleak_for_size(${target})
    endif()
  else()
    set(visibility INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${visibility} "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM arg_DEPS PREPEND torchleak_)
  target_link_libraries(${target} ${visibility} ${arg_DEPS} ${arg_LIBS})
endfunction()
