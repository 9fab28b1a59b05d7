# SPDX-License-Identifier: BSD-3-Clause
# Makes web_files.c: cmake -DSCRIPT=page.js -DLOADER=loader.js -DSTYLE=page.css -DOUT=web_files.c [-DGZIP=program and its first arguments] -P web_files.cmake
#
# The script and the style sheet are compressed here, once; a report unpacks them by the loader. GZIP FILE OUT is a program that compresses better than
# CMake does.

function(base64_of_sha256 text out)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  set(hex "${hex}00") # 66 digits of 4 bits: 44 of 6
  set(result "")
  foreach(at RANGE 0 63 3)
    string(SUBSTRING "${hex}" ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING "${digits}" ${high} 1 first)
    string(SUBSTRING "${digits}" ${low} 1 second)
    string(APPEND result "${first}${second}")
  endforeach()
  string(SUBSTRING "${result}" 0 43 result)
  set(${out} "${result}=" PARENT_SCOPE)
endfunction()

function(append_hex name hex)
  string(LENGTH "${hex}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT} "static const unsigned char ${name}_bytes[] = {\n${bytes}0};\nconst etr_slice etr_web_${name} = {(const char *)${name}_bytes, ${size}};\n")
endfunction()

function(append_slice name text)
  string(HEX "${text}" hex)
  append_hex(${name} "${hex}")
endfunction()

function(append_packed name file)
  if(GZIP)
    execute_process(COMMAND ${GZIP} ${file} packed.gz COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(ARCHIVE_CREATE OUTPUT packed.gz PATHS ${file} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  endif()
  file(READ packed.gz packed HEX)
  string(SUBSTRING "${packed}" 0 8 head)
  string(SUBSTRING "${packed}" 16 -1 rest)
  append_hex(${name} "${head}00000000${rest}") # no time stamp: the same file gives the same bytes
endfunction()

file(READ ${SCRIPT} script)
file(READ ${LOADER} loader)
file(READ ${STYLE} style)
string(TOLOWER "${loader}" lower)
if(lower MATCHES "</script|<!--")
  message(FATAL_ERROR "the loader holds '${CMAKE_MATCH_0}', which ends the element that it is put into")
endif()

base64_of_sha256("${script}" script_hash)
base64_of_sha256("${loader}" loader_hash)
base64_of_sha256("${style}" style_hash)
file(WRITE ${OUT} "/* Made by web_files.cmake. */\n#include \"report/web_files.h\"\n\n")
append_packed(script ${SCRIPT})
append_packed(style ${STYLE})
append_slice(loader "${loader}")
append_slice(policy "default-src 'none'; script-src 'sha256-${loader_hash}' 'sha256-${script_hash}'; worker-src blob:; img-src data: blob:; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'none'")
