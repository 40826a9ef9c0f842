"""What is sent to other machines and what arrives from them, scanned on the way."""
