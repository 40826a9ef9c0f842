"""The command line: parses, asks, prints, and maps errors to exit codes. Only this room prints.

Its modules set `TYPE_CHECKING = False` instead of importing the name: type checkers know it, and
importing `typing` costs a third of a bare start.
"""
