"""Health of workers: other packages call `health.of_worker` before they take work."""
