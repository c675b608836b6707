"""Checks a bot, at upload and at home alike: others call `check.check_bot`, which returns a
`report.CheckReport`."""
