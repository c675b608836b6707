"""Creates a large site and measures the cost of reading it: `make scale`."""
