"""Adapters for coding agents: native sessions in, native sessions out. One module per agent."""
