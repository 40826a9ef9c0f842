"""What a model gets to see of a version, and the marks that change it."""
