"""Self-tests of workers. Others call `health.of_worker` before they take work."""
