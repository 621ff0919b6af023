"""What installs the program, checked where nothing has to be built."""
