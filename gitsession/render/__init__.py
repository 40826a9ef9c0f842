"""Values in, text out. Nothing here prints, detects a terminal or looks anything up."""
