"""What a model gets to see: contexts within a budget, requests, diagnosis. Nothing here writes to a
store."""
