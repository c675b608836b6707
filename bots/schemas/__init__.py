"""JSON Schema of what bots and readers of records get, made from declared types."""
