"""What a model gets to see of a version, and the markers that change it."""
