"""How the REST interface reads and answers: strict bodies and queries, pages and keys, problems."""
