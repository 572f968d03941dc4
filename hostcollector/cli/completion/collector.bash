# SPDX-License-Identifier: BSD-2-Clause
# Completes command lines of collector and tprof in bash. The collector itself
# says which words may follow.
_collector() {
    local IFS=$' \t\n' raw piece typed='' words=() word

    # bash splits words at = and :, the collector does not
    for raw in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        piece=${raw//\\/}
        if [[ ${#words[@]} -gt 0 && ($piece == [=:]* || ${words[-1]} == *[=:]) ]]; then
            words[-1]+=$piece
        else
            words+=("$piece")
        fi
    done
    typed=${words[-1]#--*=}
    # readline replaces the last piece only
    [[ $piece == [=:]* ]] && piece='' raw=''
    local stays=${typed%"$piece"}
    local files=no
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [ "$word" = :files ]; then
            files=yes
        elif [[ $word == "$typed"* ]]; then
            # a name comes from a recording: it must not be a command
            printf -v word %q "${word#"$stays"}"
            COMPREPLY+=("$word")
        fi
    done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
    # bash quotes either all words or none, and names of files need its quotes
    if [ $files = yes ] && [ ${#COMPREPLY[@]} = 0 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$raw")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _collector collector tprof
