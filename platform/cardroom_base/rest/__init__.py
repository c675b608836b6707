"""Shared by all REST views: strict bodies and queries, keyset pagination, problem details."""
