"""What screens are made of: charts, widgets, models of tables, the style."""
