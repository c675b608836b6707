"""REST of the site as a whole: games, status, tokens, and the OpenAPI document (`openapi`).

`urls` collects the addresses of all apps.
"""
