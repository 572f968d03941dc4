# SPDX-License-Identifier: BSD-2-Clause
# Completes command lines of collector and tprof in fish. The collector itself
# says which words may follow.
function __collector_words
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    # of --OPTION=ARGUMENT, the collector prints the argument alone
    set -l stays (string match -r -- '^--[^=]*=' "$last")
    for line in ($words[1] complete $words[2..] "$last" 2>/dev/null)
        if string match -q ':files*' -- $line
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$last")
        else
            echo "$stays$line"
        end
    end
end
for tool in collector tprof
    complete -c $tool -f -a '(__collector_words)'
end
