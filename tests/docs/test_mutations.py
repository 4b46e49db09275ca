"""The faults that `make mutants` makes can be made: the text that each replaces stands once in its file."""

import pytest

from tests.docs.pages import ROOT
from tests.mutations import Mutation, mutations

LISTED = dict(enumerate(mutations(), start=1))


@pytest.mark.parametrize("mutation", LISTED.values(), ids=map(str, LISTED))
def test_what_is_replaced_stands_once_in_its_file(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.old) == 1
    assert mutation.old != mutation.new
