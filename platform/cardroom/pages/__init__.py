"""The web pages, in folders by noun like the templates. `urls` has every address."""
