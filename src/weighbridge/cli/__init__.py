# SPDX-License-Identifier: Apache-2.0
"""The command line: parses, calls, prints. One small file per command, each with `command`."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

import weighbridge
from weighbridge.cli.terminal import open_streams, silence
from weighbridge.errors import InputError

#: Command -> what it does in a line, in the order of the help text.
COMMANDS = {
    "advise": "rank every way to move so many bytes, with its bound",
    "explain": "where the time of one path goes, hop by hop",
    "curve": "rate and time of one path over sizes",
    "sensitivity": "which parameters matter for a point",
    "explore": "a platform's page on this machine: numbers to drag, answers that move",
    "search": "the cheapest designs that keep goals, and what stops cheaper ones",
    "show": "a platform's parameters with their sources, and its diagram",
    "time": "how long a program for a board takes, executed on its model",
    "survey": "this machine, described by itself",
    "run": "answer every point of a study and keep the results",
    "compare": "how far results, the twin and the logic are apart",
    "calibrate": "fit a platform's parameters to measurements",
    "report": "draw runs as one HTML file",
    "query": "ask runs in SQL",
    "list": "platforms and studies, their axes and values",
    "check": "every fault of a platform or study file",
    "import": "bring your measurements into the schema",
}
#: Modules whose names are none of Python's words.
_MODULES = {"list": "list_", "import": "import_"}

INTERRUPTED = 130
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@cache
def built(name: str) -> typer.core.TyperCommand:
    """A command, built of its module; the others are not imported."""
    module = import_module(f"weighbridge.cli.{_MODULES.get(name, name)}")
    lines = "\n".join(f"  {example}" for example in module.EXAMPLES)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    # The mark keeps the lines from being filled.
    epilog = f"\b\nExamples:\n{lines}"
    app.command(name, epilog=epilog, context_settings=_SETTINGS)(module.command)
    command = typer.main.get_command(app)
    assert isinstance(command, typer.core.TyperCommand)
    return command


class _Commands(TyperGroup):
    """The commands by their names, each imported when it is asked for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # Its keys are what is offered for a misspelt name; get_command() has the commands.
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> typer.core.TyperCommand | None:
        return built(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="weighbridge",
    cls=_Commands,
    help=(weighbridge.__doc__ or "").strip(),
    epilog="\b\nExamples:\n"
    "  weighbridge list\n"
    "  weighbridge advise cyclonev --size 64KiB --direction cpu_to_fpga\n"
    "  weighbridge advise --help",
    context_settings=_SETTINGS,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"weighbridge {weighbridge.__version__}")
        raise typer.Exit


def _print_completion(shell: str | None) -> None:
    if shell is not None:
        from weighbridge.cli.completion import script

        print(script(shell), end="")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
    completion: str = typer.Option(
        None,
        "--completion",
        metavar="SHELL",
        callback=_print_completion,
        is_eager=True,
        help="Print what makes bash, zsh or fish complete this command.",
    ),
) -> None:
    # The docstring of a callback would replace the help text of the application.
    return


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0, 1 for no, 2 bad input, 130."""
    open_streams()
    status = _status(sys.argv[1:] if arguments is None else list(arguments))
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        silence()
    except OSError as error:
        silence()
        return _unprinted(error)
    return status


def _status(arguments: list[str]) -> int:
    from weighbridge.cli.completion import ASKED

    if os.environ.get(ASKED):
        from weighbridge.cli.completion import complete

        print(*complete(arguments), sep="\n")
        return 0
    try:
        # Not through typer's own main(), to which a reader that leaves early is a failure.
        group = typer.main.get_command(app)
        with group.make_context("weighbridge", arguments) as context:
            group.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    except InputError as error:
        from weighbridge.backends import Unanswered

        return _fail(f"no answer: {error}" if isinstance(error, Unanswered) else str(error))
    except typer.TyperException as error:
        asked = getattr(error, "ctx", None)
        if asked is None:
            return _fail(error.format_message())
        if type(error).__name__ == "NoArgsIsHelpError":
            print(asked.get_help())
            return 2
        return _fail(f"{error.format_message().rstrip('.')} (see '{asked.command_path} --help')")
    except (KeyboardInterrupt, typer.Abort):
        print("weighbridge: interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        return _fail("not enough memory")
    except BrokenPipeError:  # ending() is there for answers that have another status
        silence()
        return 0
    except OSError as error:
        silence()
        if not error.filename:
            return _unprinted(error)
        return _fail(f"{error.strerror or error} {error.filename}")
    return 0


def _fail(message: str) -> int:
    for line in message.splitlines():
        print(f"weighbridge: error: {line}", file=sys.stderr)
    return 2


def _unprinted(error: OSError) -> int:
    return _fail(f"cannot write the answer: {error.strerror or error}")
