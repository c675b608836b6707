"""Pictures of the site's cards: link previews, positions, short animations of a deal.

`drawing` turns SVG made of our own cards into PNG; `previews` lays out a position and its words,
with the cards that the game chooses (`Game.preview`); `animation` puts previews of a deal one after
another.
Nothing here reads the database: callers check that the cards may be shown.
"""
