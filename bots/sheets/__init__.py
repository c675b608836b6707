"""Rule sheets and tiles: explain a game to people in two minutes, or in three lines.

Other packages call `rule_sheets.rule_sheet` and `reference`, and `tiles.tile`.
"""
