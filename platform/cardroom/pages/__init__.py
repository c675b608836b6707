"""The web pages, in folders by noun, like the templates. `urls` lists every address."""
