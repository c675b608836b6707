"""Health of workers: other packages call `health.of_process` before they take work."""
