"""What the host measures beside the server: disks, memory, processors, settings."""
