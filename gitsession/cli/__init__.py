"""The command line: parses, asks, prints, and maps errors to exit codes. Only this room prints.

Its modules set `TYPE_CHECKING = False` instead of importing it: type checkers know the name, and
`typing` costs a third of a bare start.
"""
