"""One person with two accounts: few of their matches with each other count, and the operator sees them."""

from tests.correspondence import Correspondence, said
from tests.scenes import after, two_players

UNRATED = "This match isn't rated"


def six_wins(letters: Correspondence) -> None:
    """Let alice begin six rated matches with bob, who moves once and gives up."""
    letters.play(two_players)
    for number in range(1, 7):
        begin(letters)
        letters.reply(letters.last("alice"), "e3f4")
        letters.reply(letters.last("bob"), "e9f8")
        letters.resign("bob", f"resign {number}")


def begin(letters: Correspondence, game: str = "quadrature") -> list[str]:
    """Let alice challenge bob, who accepts; return what both are told then."""
    letters.say("alice", f"challenge bob {game} rated")
    return [said(mail) for mail in letters.reply(letters.last("bob"), "accept")]


played = after(six_wins)


@played
def test_of_one_pair_five_matches_in_a_month_count_and_both_are_told_so(letters: Correspondence) -> None:
    assert letters.execute("select id from match where counted is not null order by id") == [(n,) for n in range(1, 6)]
    assert len([told for told in begin(letters) if UNRATED in told]) == 2
    assert letters.execute("select rated from match where id = 7") == [(False,)]
