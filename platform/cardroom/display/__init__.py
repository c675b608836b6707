"""Numbers, formats and cards as text, pictures and geometry, for pages and template tags.

It imports no page, so template tags may import it.
"""
