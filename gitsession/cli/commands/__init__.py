"""One verb per file: ABOUT, EXAMPLES, EXITS, `configure(parser)`, `run(arguments, context)`."""
