"""`config`: read and write the user's settings."""

from __future__ import annotations

import os

from gitsession.environment import say_nothing
from gitsession.errors import NotFound, SecretsFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.config import Config

ABOUT = """
Without arguments, lists all settings and their values. With a name, prints its value.
With a name and a value, writes it to config.yaml in your configuration folder. `config
trust DIR` allows the redaction.yaml of that project to exempt values and files from
redaction; without it, a project can only add rules.
"""
EXAMPLES = (
    ("gitsession config", "lists all settings"),
    ("gitsession config author.name 'Ada'", "sets the author of new versions"),
    ("gitsession config --unset author.name", "restores the default"),
)
EXITS = (14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="a setting, or `trust`")
    parser.add_argument("value", metavar="VALUE", nargs="?", default=None, help="its new value")
    parser.add_argument("--unset", action="store_true", help="restore the default")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.config import load_config

    tell, context.environment.tell = context.environment.tell, say_nothing
    config = load_config(context.environment)
    for sentence in config.unknown:  # even if it was already said
        tell(sentence)
    name, value = arguments.name, arguments.value
    if arguments.unset:
        return _unset(config, name, value)
    if name == "trust":
        return _trust(config, value, context)
    if not name:
        return _list(config, context)
    if value is None:
        return _show(config, name, context)
    _refuse_secret(value)
    config.with_value(name, value).save()
    return 0


def _refuse_secret(text: str) -> None:
    """Raises SecretsFound: settings are shown, backed up and copied to other machines."""
    from gitsession.redaction import redact_text

    if redact_text(text) != text:
        raise SecretsFound("that value holds a secret", hint="settings are kept in the open")


def _list(config: Config, context: Context) -> int:
    from gitsession.render.safe import line as visible

    if context.as_json:
        context.answer("config", settings=config.values, unknown=config.unknown, **config.mappings)
        return 0
    for name, value in sorted(config.values.items()):
        context.line(visible(f"{name} = {value}"))
    for mapping, entries in config.mappings.items():
        for key, value in sorted(entries.items()):
            context.line(visible(f"{mapping}: {key} = {value}"))
    return 0


def _show(config: Config, name: str, context: Context) -> int:
    if context.as_json:
        context.answer("config", settings={name: config[name]})
    else:
        context.line(str(config[name]))
    return 0


def _unset(config: Config, name: str, value: str | None) -> int:
    from gitsession.config import DEFAULTS

    if not name or value is not None:
        raise UsageError("--unset takes one setting and no value", hint="gitsession config --help")
    current = config[name]  # raises for a setting that does not exist
    del current
    config.with_value(name, str(DEFAULTS[name])).save()
    return 0


def _trust(config: Config, value: str | None, context: Context) -> int:
    if value is None:
        raise UsageError("trust needs a directory", hint="gitsession config trust DIR")
    path = str(context.path(value))
    _refuse_secret(path)
    if not os.path.isdir(path):
        raise NotFound(f"there is no folder {path}", hint="gitsession config trust DIR")
    config.with_mapping("trusted", path, "yes").save()
    context.line(f"{path} is trusted now.")
    return 0
