"""Pictures of the site's cards: link previews, positions, short animations of a deal.

`drawing` converts SVG of our own cards to PNG; `previews` lays out a position with its text and the
cards that the game chooses (`Game.preview`); `animation` joins the previews of a deal.

Nothing here reads the database: callers check that the cards may be shown.
"""
