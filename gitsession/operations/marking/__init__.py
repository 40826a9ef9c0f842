"""What a person names: branches, tags, sessions, and which project a session belongs to."""
