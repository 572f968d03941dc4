# SPDX-License-Identifier: BSD-2-Clause
# cmake -D DIR=... -D SCRIPTS=a.js,b.js,... -D OUT=html_page.c -P EmbedPage.cmake
#
# Joins the page, the style and the scripts of DIR to one HTML text, and writes the text
# to OUT as an array of C. The page's policy runs one script and one style, which it names
# by their SHA-256; so nothing else in the file can run, whatever it calls itself.

# base64_of_sha256(OUT TEXT)
function(base64_of_sha256 out text)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  set(result)
  foreach(i RANGE 0 60 6) # 64 digits of hexadecimal: ten groups of three bytes, and two bytes
    string(SUBSTRING "${hex}0000" ${i} 6 group)
    math(EXPR group "0x${group}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${group} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${digit} 1 digit)
      string(APPEND result ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING "${result}" 0 43 result)
  set(${out} "${result}=" PARENT_SCOPE)
endfunction()

# `file(READ)` keeps brackets and semicolons apart only in quotes; so all texts stay in quotes.
string(REPLACE "," ";" names "${SCRIPTS}")
set(script "\"use strict\";\n(() => {\n")
foreach(name IN LISTS names)
  file(READ "${DIR}/${name}" text)
  string(APPEND script "${text}\n")
endforeach()
string(APPEND script "})();\n")
file(READ "${DIR}/style.css" style)
file(READ "${DIR}/page.html" page)

base64_of_sha256(script_sha256 "${script}")
base64_of_sha256(style_sha256 "${style}")
string(REPLACE "@SCRIPT_SHA256@" "${script_sha256}" page "${page}")
string(REPLACE "@STYLE_SHA256@" "${style_sha256}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")

file(WRITE "${OUT}.html" "${page}")
file(READ "${OUT}.html" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUT}" "/* made by cmake/EmbedPage.cmake */
#include \"report/html/html_page.h\"

const unsigned char html_page[] = {
${hex}
};
const size_t html_page_size = sizeof html_page;
")
