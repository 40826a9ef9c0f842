"""The nouns of the project: frozen values with no effects outside themselves, used by all other
rooms."""
