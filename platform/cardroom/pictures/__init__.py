"""Pictures of the site's cards as files: link previews, positions, short animations of a deal.

`drawing` turns SVG made of our own cards into PNG; `positions` says which cards of a view are worth
showing; `previews` lays both out with words; `animation` puts previews of a deal one after another.
Nothing here reads the database: whoever asks has decided that the cards may be seen.
"""
