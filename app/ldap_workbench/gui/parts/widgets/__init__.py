"""Small widgets several screens share: tables, labels, bands that speak up, empty states."""
