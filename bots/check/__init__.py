"""Check a bot, at upload and at home alike.

Other packages call `check.check_bot`, which returns a `report.CheckReport`.
"""
