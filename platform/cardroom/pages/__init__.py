"""The web pages, in folders by noun, as the templates are. `urls` names every address."""
