# SPDX-License-Identifier: Apache-2.0
"""Completion in the shell: a script for each shell asks this program for the words that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from weighbridge.errors import InputError

#: Set in the environment, the arguments are a line to complete; the last may be empty.
ASKED = "_WEIGHBRIDGE_COMPLETE"

_SCRIPTS = {
    # Readline breaks words at '=', so they are taken from the line, and only what follows the last
    # '=' is given back.
    "bash": r"""_weighbridge() {
    local line=${COMP_LINE:0:COMP_POINT} words word
    read -ra words <<<"$line"
    [[ $line == *" " ]] && words+=("")
    mapfile -t COMPREPLY < <(_WEIGHBRIDGE_COMPLETE=1 "$1" "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    word=${words[-1]}
    [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${word%=*}="}")
}
complete -o default -F _weighbridge weighbridge
""",
    "zsh": r"""#compdef weighbridge
_weighbridge() {
    local -a line found
    line=("${(@)words[1,CURRENT-1]}" "$PREFIX")
    found=(${(f)"$(_WEIGHBRIDGE_COMPLETE=1 "${(@)line}" 2>/dev/null)"})
    if (( ! $#found )); then
        _files
    else
        compadd -S '' -- "${(@M)found:#*=}"
        compadd -- "${(@)found:#*=}"
    fi
}
# Read by `source` it only registers itself; in a folder of $fpath it is the function.
if [[ ${funcstack[1]} == _weighbridge ]]; then
    _weighbridge "$@"
else
    compdef _weighbridge weighbridge
fi
""",
    "fish": r"""function __weighbridge_words
    set -l line (commandline -opc) (commandline -ct)
    env _WEIGHBRIDGE_COMPLETE=1 $line[1] $line[2..-1] 2>/dev/null
end
complete -c weighbridge -n 'test -n "$(__weighbridge_words)"' -f -a '(__weighbridge_words)'
""",
}


def script(shell: str) -> str:
    """What a shell reads to complete `weighbridge`; InputError for a shell that has none."""
    if shell not in _SCRIPTS:
        raise InputError(f"no completion for '{shell}'", mend="known: " + ", ".join(_SCRIPTS))
    return _SCRIPTS[shell]


def complete(words: Sequence[str]) -> list[str]:
    """The words that may stand for the last one; none where a file may, or nothing is known."""
    from weighbridge.cli import COMMANDS, built

    *before, typed = words or [""]
    if not before:
        found: Iterable[str] = COMMANDS if not typed.startswith("-") else _ROOT
        return [word for word in found if word.startswith(typed)]
    if before[0] not in COMMANDS:
        return []
    parameters = built(before[0]).params
    options = {text: one for one in parameters for text in one.opts if text.startswith("-")}
    places = [one for one in parameters if not one.opts[0].startswith("-")]
    said: dict[str, list[str]] = {}
    pending = None
    for word in before[1:]:
        if pending is not None:
            said.setdefault(str(pending.name), []).append(word)
            pending = None
        elif word in options:
            pending = None if _is_flag(options[word]) else options[word]
        elif not word.startswith("-"):
            place = _place(places, said)
            said.setdefault(str(place.name) if place else "", []).append(word)
    if pending is None and typed.startswith("-"):
        found = [*options, "-h", "--help"]
    else:
        one = pending or _place(places, said)
        try:
            found = [] if one is None else _values(before[0], str(one.name), said, typed)
        except InputError:  # the platform or study named before is none
            found = []
    return sorted({word for word in found if word.startswith(typed)})


_ROOT = ("--version", "--completion", "--help", "-h")


def _is_flag(parameter: Any) -> bool:
    return bool(getattr(parameter, "is_flag", False))


def _place(places: Sequence[Any], said: dict[str, list[str]]) -> Any:
    """The argument that the next word is, None after the last of them."""
    return next((one for one in places if one.nargs == -1 or one.name not in said), None)


def _values(command: str, name: str, said: dict[str, list[str]], typed: str) -> Iterable[str]:
    """What an argument or option may be."""
    from weighbridge.backends import BACKENDS
    from weighbridge.dataset.schema import COLUMNS
    from weighbridge.dataset.values import DIRECTIONS
    from weighbridge.platforms import load_platform, platform_names
    from weighbridge.studies import load_study, study_names

    if name == "platform":
        return platform_names()
    if name == "study":
        return study_names()
    if name == "backend" or (command == "compare" and name == "sources"):
        return BACKENDS
    if name == "direction":
        return DIRECTIONS
    if name == "by":
        return COLUMNS
    axes: dict[str, Sequence[Any]] = {}
    named = said.get("platform", [None])[0]
    if study := said.get("study"):
        chosen = load_study(study[0])
        axes, named = dict(chosen.allowed()), chosen.platform
    elif named is not None:
        axes = dict(load_platform(named).axes)
    if name in ("path", "where"):
        return _assignments(axes or dict.fromkeys(COLUMNS, ()), typed)
    if name in ("os", "consume", "fpga_mhz"):
        return _words(name, axes)
    if name in ("set_", "free") and named is not None:
        end = "=" if name == "set_" else ""
        return [one.name + end for one in load_platform(named).parameters()]
    return []


def _assignments(axes: dict[str, Sequence[Any]], typed: str) -> Iterable[str]:
    """KEY= as long as the key is typed, then KEY=VALUE."""
    key, equals, _ = typed.partition("=")
    if not equals:
        return [f"{axis}=" for axis in axes]
    return [f"{key}={word}" for word in _words(key, axes)]


def _words(axis: str, axes: dict[str, Sequence[Any]]) -> list[str]:
    """The values of an axis as they are typed."""
    from weighbridge.backends.twin.program import CONSUME
    from weighbridge.dataset.values import column_named, shown
    from weighbridge.quantities import format_size

    column = column_named(axis)
    if column == "consume":
        return list(CONSUME)
    values = [value for value in axes.get(column, ()) if value is not None]
    if column.endswith("_bytes"):
        return [format_size(value).replace(" ", "") for value in values]
    return [shown(value) for value in values]
