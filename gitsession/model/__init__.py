"""The nouns: frozen values without behaviour that reaches outside. All else speaks in these."""
