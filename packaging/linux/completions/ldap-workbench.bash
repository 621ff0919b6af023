_ldap_workbench() {
    local IFS=$'\n'
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _LDAP_WORKBENCH_COMPLETE=complete_bash "$1" 2>/dev/null))
}
complete -o default -F _ldap_workbench ldap-workbench
