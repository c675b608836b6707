"""Rule sheets and tiles: explain a game to people in two minutes, or in three lines.

Others call `rule_sheets.rule_sheet` and `reference`, and `tiles.tile`.
"""
