"""Plumbing of the REST interface: strict bodies and queries, pagination, problem details."""
