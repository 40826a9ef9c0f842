"""What leaves for other machines and what arrives from them, looked through on the way."""
