# SPDX-License-Identifier: Apache-2.0
"""The command line: parses, calls, prints. One small file per command, each with `command`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec

import typer

import weighbridge
from weighbridge.backends import Unanswered
from weighbridge.errors import InputError

#: Command -> its module in this package, in the order of the help text.
_COMMANDS = {
    "advise": "advise",
    "explain": "explain",
    "curve": "curve",
    "sensitivity": "sensitivity",
    "show": "show",
    "run": "run",
    "compare": "compare",
    "calibrate": "calibrate",
    "report": "report",
    "query": "query",
    "list": "list_",
    "check": "check",
    "import": "import_",
}

INTERRUPTED = 130

app = typer.Typer(
    name="weighbridge",
    help=(weighbridge.__doc__ or "").strip(),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"weighbridge {weighbridge.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    # The docstring of a callback would replace the help text of the application.
    return


for _name, _module in _COMMANDS.items():
    if find_spec(f"weighbridge.cli.{_module}"):
        app.command(_name)(import_module(f"weighbridge.cli.{_module}").command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0, 1 a bound exceeded, 2 bad input, 130."""
    try:
        status = app(arguments, prog_name="weighbridge", standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:  # typer has caught Ctrl-C itself
            raise KeyboardInterrupt
    except InputError as error:
        return _fail(str(error))
    except Unanswered as reason:
        return _fail(f"no answer: {reason}")
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        if context is None:
            return _fail(error.format_message())
        if type(error).__name__ == "NoArgsIsHelpError":
            print(context.get_help())
            return 2
        return _fail(f"{error.format_message().rstrip('.')} (see '{context.command_path} --help')")
    except (KeyboardInterrupt, typer.Abort):
        print("weighbridge: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return 1
    except OSError as error:
        _silence_stdout()
        place = f" {error.filename}" if error.filename else ""
        return _fail(f"{error.strerror or error}{place}")
    return status if isinstance(status, int) else 0


def _fail(message: str) -> int:
    for line in message.splitlines():
        print(f"weighbridge: error: {line}", file=sys.stderr)
    return 2


def _silence_stdout() -> None:
    """Whatever is still buffered cannot be written: keep the interpreter from trying again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
