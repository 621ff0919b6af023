complete --command ldap-workbench --no-files \
    --arguments "(env _LDAP_WORKBENCH_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS=(commandline -cp) ldap-workbench)" \
    --condition "env _LDAP_WORKBENCH_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=is-args _TYPER_COMPLETE_ARGS=(commandline -cp) ldap-workbench"
