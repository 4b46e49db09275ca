"""The examples in docstrings are true."""

import doctest
import pkgutil
from importlib import import_module

import pytest


@pytest.mark.parametrize("package", ["engines", "notation", "pbem"])
def test_the_examples_in_docstrings_are_true(package: str) -> None:
    names = [package, *(found.name for found in pkgutil.walk_packages([package], f"{package}."))]
    modules = [
        name for name in names if "migrations" not in name and ".template" not in name and "__main__" not in name
    ]

    told = {name: doctest.testmod(import_module(name)) for name in modules}
    assert [name for name, result in told.items() if result.failed] == []
    assert sum(result.attempted for result in told.values()) > 30
