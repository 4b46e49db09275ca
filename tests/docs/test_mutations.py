"""The faults that `make mutants` makes can be made: the text that each replaces stands once in its file."""

from tests.docs.pages import ROOT
from tests.mutations import mutations


def test_what_is_replaced_stands_once_in_its_file() -> None:
    for mutation in mutations():
        assert (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.old) == 1, mutation.old
        assert mutation.old != mutation.new
