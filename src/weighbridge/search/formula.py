# SPDX-License-Identifier: Apache-2.0
"""Formulas of costs: a small grammar of its own, so that a file from elsewhere can do nothing else.

    sum     = product {("+" | "-") product}
    product = sign {("*" | "/") sign}
    sign    = ["-" | "+"] sign | power
    power   = atom ["^" sign]
    atom    = number | name | function "(" sum {"," sum} ")" | "(" sum ")"

A name is that of a variable, as in sdram.clock; numbers are plain, as in 2.5e-3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from weighbridge.errors import InputError
from weighbridge.tomlsource import near

#: Characters and depth of a formula: a person writes less.
_LONGEST, _DEEPEST = 1000, 50
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)?)|(?P<sign>[-+*/^(),]))"
)

#: What a name stands for.
Values = Mapping[str, float]
_Node = Callable[[Values], float]

#: Function -> what it is, the fewest and the most arguments.
FUNCTIONS: dict[str, tuple[Callable[..., float], int, int]] = {
    "min": (min, 2, 20),
    "max": (max, 2, 20),
    "ceil": (math.ceil, 1, 1),
    "floor": (math.floor, 1, 1),
    "sqrt": (math.sqrt, 1, 1),
    "log2": (math.log2, 1, 1),
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read: its text, the names it uses, and what it comes to."""

    text: str
    names: tuple[str, ...]
    _node: _Node

    def value(self, of: Values) -> float:
        """The number; InputError where there is none, as of 1 / 0."""
        try:
            value = float(self._node(of))
        except (ArithmeticError, ValueError, TypeError) as error:
            raise InputError(
                f"'{self.text}' has no value ({error})", _said(self.names, of)
            ) from None
        if not math.isfinite(value):
            raise InputError(f"'{self.text}' is not finite", _said(self.names, of))
        return value


def _said(names: Sequence[str], of: Values) -> str:
    return ", ".join(f"{name} = {of[name]:g}" for name in names)


def parse(text: str, known: Sequence[str]) -> Formula:
    """Read a formula over the known names; InputError says what is wrong and at which character."""
    if len(text) > _LONGEST:
        raise InputError(f"a formula of {len(text)} characters", mend=f"at most {_LONGEST}")
    reader = _Reader(text, known)
    node = reader.sum(0)
    reader.end()
    return Formula(text.strip(), tuple(dict.fromkeys(reader.used)), node)


class _Reader:
    """Reads a formula from left to right, a token ahead."""

    def __init__(self, text: str, known: Sequence[str]) -> None:
        self._text, self._known = text, known
        self._at = 0
        self.used: list[str] = []
        self._next()

    def _next(self) -> None:
        self._start = self._at + len(self._text[self._at :]) - len(self._text[self._at :].lstrip())
        self._kind = self._token = ""
        if self._start == len(self._text):
            return
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            raise self._wrong(f"'{self._text[self._start]}' means nothing")
        self._kind = match.lastgroup or ""
        self._token = match[self._kind]
        self._at = match.end()

    def _wrong(self, what: str) -> InputError:
        at = f"'{self._text.strip()}' at character {self._start + 1}"
        return InputError(what, at, "write it like 2 * max(value, 64) + 0.5")

    def _take(self, sign: str) -> bool:
        if self._kind != "sign" or self._token != sign:
            return False
        self._next()
        return True

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._wrong(f"'{sign}' is missing")

    def end(self) -> None:
        if self._kind:
            raise self._wrong(f"'{self._token}' is one too many")

    def sum(self, depth: int) -> _Node:
        if depth > _DEEPEST:
            raise self._wrong("nested too deeply")
        node = self._product(depth)
        while True:
            if self._take("+"):
                node = _plus(node, self._product(depth))
            elif self._take("-"):
                node = _minus(node, self._product(depth))
            else:
                return node

    def _product(self, depth: int) -> _Node:
        node = self._sign(depth)
        while True:
            if self._take("*"):
                node = _times(node, self._sign(depth))
            elif self._take("/"):
                node = _over(node, self._sign(depth))
            else:
                return node

    def _sign(self, depth: int) -> _Node:
        if depth > _DEEPEST:
            raise self._wrong("nested too deeply")
        if self._take("-"):
            inner = self._sign(depth + 1)
            return lambda of: -inner(of)
        if self._take("+"):
            return self._sign(depth + 1)
        base = self._atom(depth)
        if not self._take("^"):
            return base
        exponent = self._sign(depth + 1)
        # On floats: the powers of whole numbers have no end.
        return lambda of: math.pow(base(of), exponent(of))

    def _atom(self, depth: int) -> _Node:
        if self._take("("):
            node = self.sum(depth + 1)
            self._expect(")")
            return node
        kind, token = self._kind, self._token
        if kind == "number":
            self._next()
            number = float(token)
            return lambda of: number
        if kind != "name":
            raise self._wrong("a number or a name is missing")
        if token in self._known:
            self._next()
            self.used.append(token)
            return lambda of: of[token]
        if token not in FUNCTIONS:
            raise self._wrong(f"unknown name '{token}'; {near(token, [*self._known, *FUNCTIONS])}")
        return self._call(token, depth)

    def _call(self, name: str, depth: int) -> _Node:
        function, fewest, most = FUNCTIONS[name]
        self._next()
        self._expect("(")
        arguments = [self.sum(depth + 1)]
        while self._take(","):
            arguments.append(self.sum(depth + 1))
        self._expect(")")
        if not fewest <= len(arguments) <= most:
            raise self._wrong(f"{name}() has {len(arguments)} arguments")
        return lambda of: function(*(argument(of) for argument in arguments))


def _plus(a: _Node, b: _Node) -> _Node:
    return lambda of: a(of) + b(of)


def _minus(a: _Node, b: _Node) -> _Node:
    return lambda of: a(of) - b(of)


def _times(a: _Node, b: _Node) -> _Node:
    return lambda of: a(of) * b(of)


def _over(a: _Node, b: _Node) -> _Node:
    return lambda of: a(of) / b(of)
