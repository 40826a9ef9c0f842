"""One verb a file: ABOUT, EXAMPLES, EXITS, `configure(parser)` and `run(arguments, context)`."""
