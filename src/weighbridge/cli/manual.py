# SPDX-License-Identifier: Apache-2.0
"""The manual page, made of the commands' own help: `python -m weighbridge.cli.manual`."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

import typer

import weighbridge
from weighbridge.cli import COMMANDS, app, built

_STATUS = (
    ("0", "answered"),
    (
        "1",
        "no: a bound of compare --fail-above is exceeded, no path holds what advise is asked for, "
        "or calibrate keeps the platform as it is",
    ),
    ("2", "bad input; a line on standard error says what, where and how to mend it"),
    ("130", "interrupted"),
)
_ENVIRONMENT = (
    ("COLUMNS", "width of the output, also in a pipe, which has no limit by itself"),
    ("NO_COLOR", "no escape sequences, also on a terminal"),
    ("XDG_CACHE_HOME", "where simulators and kernels are kept once they are built"),
)


def manual() -> str:
    """The page as roff, for man(7)'s macros."""
    about = " ".join((weighbridge.__doc__ or "").split()).removeprefix("Weighbridge: ")
    lines = [
        ".\\\" Made by 'make manual' of the commands' help.",
        f'.TH WEIGHBRIDGE 1 "" "Weighbridge {weighbridge.__version__}" "User Commands"',
        ".SH NAME",
        f"weighbridge \\- {_text(about.rstrip('.'))}",
        ".SH SYNOPSIS",
        ".B weighbridge",
        ".I COMMAND",
        "[\\fIARGUMENT\\fR]...",
        ".SH OPTIONS",
        *_options(typer.main.get_command(app)),
        ".SH COMMANDS",
    ]
    for name, summary in COMMANDS.items():
        lines += [f'.SS "{name} \\- {_text(summary)}"', *_command(name)]
    lines += [".SH EXIT STATUS", *_terms(_STATUS), ".SH ENVIRONMENT", *_terms(_ENVIRONMENT)]
    return "\n".join(lines) + "\n"


def _command(name: str) -> Iterator[str]:
    command = built(name)
    context = _context(command)
    yield f".B weighbridge {name}"
    yield _text(" ".join(command.collect_usage_pieces(context)))
    for paragraph in cleandoc(command.help or "").split("\n\n"):
        yield ".PP"
        yield _text(" ".join(paragraph.split()))
    yield from _options(command)
    yield ".PP"
    yield "Examples:"
    yield ".nf"
    yield from (_text(line) for line in (command.epilog or "").splitlines()[2:])
    yield ".fi"


def _options(command: Any) -> Iterator[str]:
    """Arguments and options, a paragraph each."""
    context = _context(command)
    records = (one.get_help_record(context) for one in command.get_params(context))
    yield from _terms([record for record in records if record])


def _context(command: Any) -> Any:
    return command.context_class(command, **command.context_settings)


def _terms(pairs: Any) -> Iterator[str]:
    for term, meaning in pairs:
        yield ".TP"
        yield f".B {_text(term)}"
        yield _text(meaning)


def _text(text: str) -> str:
    """Text that roff prints as it is: no line is a request, no hyphen breaks what is typed."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    escaped = escaped.replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


if __name__ == "__main__":
    print(manual(), end="")
