"""Past messages found again, and the index that makes it quick."""
