# SPDX-License-Identifier: BSD-2-Clause
# cmake -DOBJECT=O -DOBJDUMP=P -DOBJCOPY=P -P plain_names.cmake
#
# Names each section of the object file O by its kind alone: .text, .rodata, .data or
# .bss. A kernel's script may name no others: its `*(.text)` then takes each function. Sections
# that a script does not take would end after the image that a loader brings. The sections
# stay apart, so that --gc-sections drops the functions that a kernel does not use.
#
# .data.rel.ro holds tables of addresses, which a kernel that moves itself writes to. It
# becomes .data: linkers refuse such addresses in .rodata.
execute_process(COMMAND ${OBJDUMP} -h -w ${OBJECT} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " \\.(text|rodata|data|bss)\\.[^ ]+" names "${headers}")
list(REMOVE_DUPLICATES names)
set(options)
foreach(name ${names})
  string(STRIP "${name}" name)
  string(REGEX MATCH "^\\.[a-z]+" plain "${name}")
  string(APPEND options "--rename-section ${name}=${plain}\n")
endforeach()
file(WRITE ${OBJECT}.names "${options}")
execute_process(COMMAND ${OBJCOPY} @${OBJECT}.names ${OBJECT} COMMAND_ERROR_IS_FATAL ANY)
