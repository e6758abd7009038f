"""The command line: arguments, exit statuses and the work behind each command.

Exit status 0 is success, 1 failure, 2 a usage error, 130 an interrupt. Errors that a user can cause
are one line on standard error; anything else gets an id, and its traceback goes to the log.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Annotated

import typer
from typer.exceptions import TyperException

from bot.cli.commands import CONTEXT, archive, commands, show_help
from bot.util.sanitize import mask_secrets
from digest.errors import UserError

app = typer.Typer(
    name="digestbot",
    help="Watches git repositories, grades every change and reports the few that matter.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # Rich takes longer to import than printing the help
    context_settings=CONTEXT,
)

app.add_typer(commands)
app.add_typer(archive, name="archive")


def _tell_version(wanted: bool) -> None:  # the signature of an option's callback
    if wanted:
        from importlib.metadata import version

        typer.echo(f"digestbot {version('digestbot')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _before(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    """Show the help if no command is named."""
    show_help(context)


def main() -> None:
    """The entry point of ``digestbot``."""
    # A command prints its answer and its errors; events are for the logs that ``run`` sets up.
    logging.getLogger().addHandler(logging.NullHandler())
    # What is imported stays: collecting garbage meanwhile takes a tenth of the time.
    gc.set_threshold(200_000)
    # Pydantic looks for plugins in the metadata of every installed library, and imports 34 modules
    # for that even where it is told not to look.
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1") == "1":
        none = ModuleType("pydantic.plugin._loader")
        none.__dict__["get_plugins"] = tuple
        sys.modules.setdefault(none.__name__, none)
    sys.exit(guarded(lambda: app(standalone_mode=False)))


def guarded(work: Callable[[], object]) -> int:
    """The exit status of the work; an error is printed as one line."""
    try:
        status = work()
    except UserError as error:
        return _fail(str(error), error.exit_status)
    except TyperException as error:
        hint = "" if error.exit_code != 2 else f"; see {_help_of(error)}"
        message = error.format_message().replace("Value error, ", "").rstrip(".")
        return _fail(message + hint, error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has closed the pipe
        return 1
    except Exception as error:  # noqa: BLE001 - the last resort: an id for the user, a log for us
        from bot.telemetry.logs import keep_traceback

        return _fail(keep_traceback(error), 1)
    return status if isinstance(status, int) else 0


def _help_of(error: TyperException) -> str:
    """The command that prints the help of the mistyped command."""
    names, context = ["--help"], getattr(error, "ctx", None)
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(["digestbot", *names])


def _fail(message: str, status: int) -> int:
    line = mask_secrets(" ".join(message.split()))
    sys.stderr.write(f"digestbot: {line}\n")
    return status
