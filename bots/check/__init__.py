"""The check of a bot, the same at upload and at home: `check.check_bot`, and what it reports."""
