"""What happens over time: strips, the heat map, concurrency, stalls."""
