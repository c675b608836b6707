"""How workers judge themselves: others call `health.of_worker` before they take work."""
