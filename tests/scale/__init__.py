"""A site with a long past, and what reading it costs: `make scale`."""
