# SPDX-License-Identifier: Apache-2.0
"""Builds the documents as a site that needs no network: `make docs`.

usage: python -m tools.site [DIRECTORY]

The site has every page of the checkout, in the places that they have there, so that the links
between them hold as they are; each file that a page links to; the notebook as a page; and the
schemas of platform and study as JSON. What is amiss ends the build: a page that no list names, a
link or an anchor that leads nowhere.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config

from tools import ROOT
from tools.notebook import NOTEBOOK
from weighbridge.platforms.model import File
from weighbridge.studies.schema import Study

SITE = ROOT / "build" / "site"
#: The list of documents, by what a reader wants: the order of the site.
LIST = "docs/README.md"
SETTINGS = ROOT / "docs" / "site" / "mkdocs.yml"
#: What the pages of the site look like and run.
_LOOKS = ("docs/site/site.css", "docs/site/iframe-worker.js")
#: Folders whose pages are about the sources beside them; the list names those of docs.
_BESIDE = ("firmware", "boards", "probe", "stack", "hdl")
NOTEBOOK_PAGE = "docs/notebook.md"
_LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s#]*)(#[^)\s]*)?\)")


def pages() -> list[str]:
    """Every page of the checkout, as paths from its root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(name for name in listed.stdout.splitlines() if (ROOT / name).exists())


def without_code(text: str) -> str:
    """A page without its blocks and words of code, in which brackets are no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def links(text: str) -> Iterator[tuple[str, str]]:
    """Where a page links to in the checkout: path, as it stands there, and anchor."""
    for _, target, anchor in _LINK.findall(without_code(text)):
        if "://" not in target and not target.startswith("mailto:"):
            yield target, anchor


def order() -> list[Any]:
    """The navigation: what docs/README.md lists, then the pages beside the sources."""
    found: list[Any] = [{"Weighbridge": "README.md"}, {"All documents": LIST}]
    # In front of the first heading a page stands by itself.
    section = found
    named = {"README.md", LIST}
    for line in (ROOT / LIST).read_text("utf-8").splitlines():
        if heading := re.match(r"\*\*(\w+)\*\*", line):
            section = []
            found.append({heading[1]: section})
        for target, _ in links(line):
            name = NOTEBOOK_PAGE if target == NOTEBOOK.name else _from(LIST, target)
            if name.endswith(".md") and name not in named:
                named.add(name)
                section.append({"Notebook": name} if name == NOTEBOOK_PAGE else name)
    rest = [name for name in pages() if name not in named]
    beside = [name for name in rest if name.startswith(_BESIDE)]
    found.append({"Beside the sources": [{_folder(name): name} for name in beside]})
    found.extend(name for name in rest if "/" not in name)
    return found


def _folder(page: str) -> str:
    return str(Path(page).parent)


def _from(page: str, target: str) -> str:
    """The path from the root that a page means by a path from itself."""
    return str((ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT))


def notebook_page() -> str:
    """The notebook with what its cells answered, as Markdown."""
    parts = []
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            parts.append(_answer(output))
    parts.insert(1, f"[The notebook itself]({NOTEBOOK.name})")
    return "\n\n".join(parts) + "\n"


def _answer(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            drawn = "".join(data[kind]).strip()
            return f'<div class="answer">{drawn}</div>'
    return "```text\n" + "".join(output.get("text") or data["text/plain"]).rstrip() + "\n```"


def stage(directory: Path) -> None:
    """Lays out what the site is built of."""
    for name in (*pages(), *_LOOKS):
        text = (ROOT / name).read_text("utf-8")
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            for linked, _ in links(text):
                _take(name, linked, directory)
            text = text.replace("](python.ipynb)", f"]({Path(NOTEBOOK_PAGE).name})")
        target.write_text(text, "utf-8")
    shutil.copy(NOTEBOOK, directory / "docs")
    (directory / NOTEBOOK_PAGE).write_text(notebook_page(), "utf-8")
    (directory / "docs" / "schemas").mkdir()
    for name, model in (("platform", File), ("study", Study)):
        schema = json.dumps(model.model_json_schema(), indent=1) + "\n"
        (directory / "docs" / "schemas" / f"{name}.json").write_text(schema, "utf-8")


def _take(page: str, linked: str, directory: Path) -> None:
    """A file that is no page comes along as it is."""
    source = (ROOT / page).parent.joinpath(linked).resolve()
    if linked.endswith(".md") or not source.is_file() or not source.is_relative_to(ROOT):
        return
    target = directory / source.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def main(arguments: list[str]) -> None:
    """Builds the site into a directory; a warning ends it with status 1."""
    site = Path(arguments[0]).absolute() if arguments else SITE
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    with tempfile.TemporaryDirectory(prefix="weighbridge-site-") as name:
        stage(Path(name))
        build(load_config(str(SETTINGS), docs_dir=name, site_dir=str(site), nav=order()))
    print(f"site: {site / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
