"""The examples in docstrings are true."""

import doctest
from importlib import import_module

import pytest

from tests.docs.pages import ROOT


@pytest.mark.parametrize("package", ["engines", "notation", "pbem"])
def test_the_examples_in_docstrings_are_true(package: str) -> None:
    paths = [path for path in (ROOT / package).rglob("*.py") if ">>>" in path.read_text("utf-8")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]

    told = {name: doctest.testmod(import_module(name)) for name in names}
    assert [name for name, result in told.items() if result.failed] == []
    assert sum(result.attempted for result in told.values()) > 30
