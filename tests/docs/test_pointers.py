"""Every module, function, class, file and setting of ours that a page, a docstring or a comment names exists."""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from docs.generated import keys, sections
from tests.docs.pages import PAGES, ROOT

FILES = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True, text=True).stdout.split()
PACKAGES = ("pbem/", "engines/", "notation/", "tests/", "docs/", "bench/")
SOURCES = [
    Path(file) for file in FILES if file.endswith(".py") and file.startswith(PACKAGES) and (ROOT / file).exists()
]
DOTTED = re.compile(r"(?<![\w./@:-])[A-Za-z_]\w*(?:\.\w+)+(?![\w/@-]|\.\w)")
PATH = re.compile(r"(?<![\w./<>-])[\w-]+(?:/[\w-]+)*\.py\b|(?<=`)(?:pbem|engines|notation|tests)/[\w/.-]+(?=`)")
SETTING = re.compile(r"(?<=`)\[([a-z][a-z0-9.]*)\](?: (\w+))?(?=`)")
# What ends so is a file or a host; the others belong to libraries, or to pbem as it is installed.
FILE = re.compile(r"\.(?:py|md|html|json|toml|csv|txt|xml|ics|pem|j2|sh|key|secret|token|org|example|invalid|com|1)$")
ELSEWHERE = {"html.parser", "time.sleep", "matches.DOMAIN", "pbem.engines", "pbem.notation", "pbem/vendored"}
ELSEWHERE |= {"pbem/engines/core.py", "BODY.PEEK", "IMAP.AccessAsUser.All", "SMTP.Send", "X.690", "Session.get_one"}
SAID = re.compile(r'(^ *r?)?"""(.*?)"""|(?:^|(?<=  )) *(#.*?)$', re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^```.*?^```|^ *>>> .*?(?:\n *\n|\Z)", re.MULTILINE | re.DOTALL)


def defined(body: Iterable[ast.stmt], where: str) -> Iterator[str]:
    """Yield the dotted names of what a module or a class defines, and of what its classes define."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{where}.{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from defined(node.body, f"{where}.{node.name}")
        elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield from (f"{where}.{each.attr}" for each in ast.walk(node) if isinstance(each, ast.Attribute))
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (f"{where}.{each.id}" for each in ast.walk(node) if isinstance(each, ast.Name))


def known() -> set[str]:
    """Return the names that pointers can have: those of code and of settings, from each of their parts on."""
    names = {f"{table}.{key}" for table, key in keys()} | {table for table, _ in sections()}
    for path in SOURCES:
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        names |= {module, *defined(ast.parse((ROOT / path).read_text("utf-8")).body, module)}
    parts = [name.split(".") for name in names]
    return {".".join(each[start:]) for each in parts for start in range(len(each))}


def prose(path: Path) -> str:
    """Return a page, or the docstrings and comments of a module, without the examples."""
    text = (ROOT / path).read_text("utf-8")
    if path.suffix == ".py":
        text = "\n\n".join(each[2] or each[3] for each in SAID.finditer(text) if each[1] is not None or each[3])
    return EXAMPLE.sub("", text)


def lost(path: Path, names: set[str], firsts: set[str]) -> Iterator[str]:
    """Yield what a file names that doesn't exist."""
    text = prose(path)
    dotted = [each for each in DOTTED.findall(text) if each.partition(".")[0] in firsts and not FILE.search(each)]
    yield from (each for each in dotted if each not in names)
    yield from (each for each in PATH.findall(text) if not any(f"/{each}" in f"/{file}" for file in FILES))
    yield from (f"[{table}] {key}" for table, key in SETTING.findall(text) if f"{table}.{key}".rstrip(".") not in names)


@pytest.mark.slow
def test_what_is_named_exists() -> None:
    names = known()
    firsts = {part for path in SOURCES for part in path.with_suffix("").parts}
    firsts |= {name for name in names if "." not in name and name[:1].isupper() and not name.isupper()}

    pages = [Path(page) for page in PAGES if page != "CHANGELOG.md"]
    found = {str(path): set(lost(path, names, firsts)) - ELSEWHERE for path in [*pages, *SOURCES]}
    assert {path: lost for path, lost in found.items() if lost} == {}
