"""Session → Events: what a conversation did and decided, derived from its messages alone."""

from gitsession.events.extract import events as events
