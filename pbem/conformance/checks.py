"""All checks of a game by name, and what a reviewer would ask besides."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engines.search.state import Searchable
from notation.games import GAMES, GamePack
from pbem.conformance import boards, by_mail, engine, rules_page, turn_texts
from pbem.conformance.samples import matches, options_of, samples

SLOW = 20_000
"""The number of calls from which the work that something makes is worth a note."""
MANY_TURNS, LONG_PAGE, LONG_MATCH = 1_000, 150, 200


@dataclass(frozen=True, slots=True)
class Check:
    """A promise that every game keeps. `holds` raises Nonconforming, with a sentence, if this one doesn't."""

    holds: Callable[[GamePack, int], None]

    @property
    def name(self) -> str:
        return self.holds.__name__.replace("_", " ")

    def run(self, pack: GamePack, seed: int = 0) -> None:
        """Raise Nonconforming if the game doesn't keep the promise; each seed looks at other random matches."""
        with offered(pack):
            self.holds(pack, seed)


CHECKS = tuple(
    map(
        Check,
        (
            rules_page.it_is_described,
            rules_page.its_names_are_its_own,
            engine.random_play_ends,
            engine.moves_are_listed_once,
            engine.play_leaves_the_old_position,
            engine.play_agrees_with_moves,
            engine.the_end_is_final,
            engine.positions_are_values,
            engine.asking_changes_nothing,
            engine.reading_a_turn_again_leads_to_the_same_position,
            engine.parts_complete_turns,
            engine.states_play_by_the_rules,
            turn_texts.turns_are_read_as_they_are_written,
            turn_texts.turns_are_read_forgivingly,
            turn_texts.garbage_is_refused,
            turn_texts.reading_takes_linear_time,
            turn_texts.help_has_an_example,
            turn_texts.hints_help,
            turn_texts.choices_lead_to_turns,
            turn_texts.half_a_turn_can_be_drawn,
            boards.diagrams_are_whole,
            boards.the_last_turn_is_only_lit,
            boards.the_last_turn_is_told,
            boards.remarks_are_sentences,
            boards.boards_are_drawn_in_text,
            boards.boards_are_drawn_as_pictures,
            rules_page.the_page_has_title_designer_and_year,
            rules_page.the_page_names_every_option,
            rules_page.the_page_fits_into_a_message,
            rules_page.the_page_is_plain_markdown,
            rules_page.the_pictures_are_true,
            engine.it_is_fast_enough,
            by_mail.a_match_goes_by_mail,
        ),
    )
)
"""What needs nothing but the game, the quick and the simple first."""


def notes(pack: GamePack) -> Iterator[str]:
    start = pack.game.position({})
    if not isinstance(start, Searchable):
        yield "Positions have no state() for the search, so the house plays this game weakly, and says so."
    if not pack.pictures:
        yield "The rules page has no pictures; their file would be beside it."
    if (lines := len(pack.page.splitlines())) > LONG_PAGE:
        yield f"The rules page has {lines} lines; people read it in a message."
    if pack.tolerant is None:
        yield "Records that were typed by hand are read strictly: the pack has no tolerant reader."
    if (turns := max(sum(1 for _ in at.position.moves()) for at in samples(pack, 40))) > MANY_TURNS:
        yield f"A position can have {turns:,} legal turns; it takes a list of parts to offer them."
    if (longest := max(map(len, matches(pack)))) > LONG_MATCH:
        yield f"Random matches take {longest - 1} turns and more; think of a rule or an option that ends them."
    if (choices := len(options_of(pack.game))) > 1:
        yield f"The options can be combined in {choices} ways: is each worth playing?"
    for what, made in engine.measured(pack).items():
        if made > SLOW:
            yield f"{what} calls {made:,} functions, on average."


@contextmanager
def offered(pack: GamePack) -> Iterator[None]:
    before = dict(GAMES.packs)
    GAMES.packs[pack.game.key] = pack
    try:
        yield
    finally:
        GAMES.packs.clear()
        GAMES.packs.update(before)
