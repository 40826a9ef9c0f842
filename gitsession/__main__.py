"""`python -m gitsession` is the command line."""

from gitsession.cli.main import entry

if __name__ == "__main__":
    entry()
