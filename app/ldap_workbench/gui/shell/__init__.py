"""The main window around the screens: menus, commands, rail, status bar and its own dialogs.

And what a program owes the desktop: one instance, its placement, an orderly end.
"""
