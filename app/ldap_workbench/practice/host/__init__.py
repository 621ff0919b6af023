"""SSH in front of the model: a made-up host with the server's files, commands, iostat and SFTP."""
