"""Saves that an agent asks for, and what an agent is told when one of its sessions starts."""
