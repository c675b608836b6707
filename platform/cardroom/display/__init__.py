"""How pages and template tags show numbers, formats and cards: text, pictures, geometry.

It knows no page, so template tags may import it.
"""
