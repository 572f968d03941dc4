# SPDX-License-Identifier: BSD-2-Clause
# Completes command lines of collector and tprof in bash. The collector itself
# says which words may follow.
_collector() {
    local IFS=$' \t\n' piece typed='' words=() word

    # bash splits words at = and :, the collector does not
    for piece in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ ${#words[@]} -gt 0 && ($piece == [=:]* || ${words[-1]} == *[=:]) ]]; then
            words[-1]+=$piece
        else
            words+=("$piece")
        fi
    done
    typed=${words[-1]#--*=}
    # readline replaces the last piece only
    [[ $piece == [=:]* ]] && piece=''
    local stays=${typed%"$piece"}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [ "$word" = :files ]; then
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$piece")
            compopt -o filenames 2>/dev/null
        elif [[ $word == "$typed"* ]]; then
            # a name comes from a recording: it must not be a command
            printf -v word %q "${word#"$stays"}"
            COMPREPLY+=("$word")
        fi
    done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
}
complete -F _collector collector tprof
