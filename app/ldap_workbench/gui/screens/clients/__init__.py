"""Who asks the server, and what each client costs."""
