"""How everything in the window looks and speaks: palettes, icons, language. Knows no screen."""
