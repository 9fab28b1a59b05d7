# SPDX-License-Identifier: BSD-3-Clause
# What makes a mistake in our code hard to use against those who run it, and the same sources the same bytes wherever they lie: the functions give an
# interface target the flags. Instrumented builds have checks of their own, and want none of these.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)

# The highest level of _FORTIFY_SOURCE that the C library knows: it warns of a higher one and takes it for its own.
function(etr_fortify_level out)
  foreach(level 3 2)
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
    check_c_source_compiles("#include <stdio.h>\nint main(void) { return 0; }" ETR_HAS_FORTIFY_${level})
    if(ETR_HAS_FORTIFY_${level})
      set(${out} ${level} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Adds those of the flags that the compiler has.
function(etr_compile_where_known target)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "ETR_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    target_compile_options(${target} INTERFACE $<$<BOOL:${${known}}>:${flag}>)
  endforeach()
endfunction()

function(etr_link_where_known target)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "ETR_HAS${flag}" known)
    check_linker_flag(C ${flag} ${known})
    target_link_options(${target} INTERFACE $<$<BOOL:${${known}}>:${flag}>)
  endforeach()
endfunction()

function(etr_harden target)
  if(NOT ETR_SMALL)
    etr_compile_where_known(${target} -fstack-protector-strong)
  elseif(CMAKE_C_COMPILER_ID STREQUAL "Clang") # that of the wheels takes every such option for the strong one, unless its inner program is told
    target_compile_options(${target} INTERFACE -fno-stack-protector "SHELL:-Xclang -stack-protector -Xclang 1")
  else() # functions with arrays of characters, not also those with other arrays
    etr_compile_where_known(${target} -fstack-protector)
  endif()
  if(NOT WIN32) # which does so by itself
    etr_compile_where_known(${target} -fstack-clash-protection)
  endif()
  # Wheels are linked with libraries without these marks, which takes them from the whole; Windows does not know them.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$" AND NOT ETR_SMALL AND NOT WIN32)
    etr_compile_where_known(${target} -fcf-protection=full)
    # Shadow stacks ask nothing of the C library's start files: the mark holds where those (Debian's) have none. That of branch targets would not.
    etr_link_where_known(${target} -Wl,-z,shstk)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    etr_compile_where_known(${target} -mbranch-protection=standard)
  endif()
  etr_link_where_known(${target} -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
  etr_fortify_level(level)
  if(level) # does nothing without optimization, and warns of that
    target_compile_options(${target} INTERFACE "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
  endif()
  check_pie_supported(LANGUAGES C) # lets CMAKE_POSITION_INDEPENDENT_CODE speak to the linker, too
endfunction()

# Paths in the outputs are those below the sources and the build folder, wherever these are.
function(etr_leave_out_paths target)
  check_c_compiler_flag(-ffile-prefix-map=a=b ETR_HAS_PREFIX_MAP)
  if(ETR_HAS_PREFIX_MAP)
    target_compile_options(${target} INTERFACE -ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
  endif()
endfunction()
