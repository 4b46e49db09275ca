"""Budgets belong to the sender: forgers and opponents can't use up what others need."""

import pytest

from pbem.players.message_budgets import DOMAIN_PER_DAY, MATCH_PER_DAY
from pbem.server import figures
from pbem.storage import database
from tests import spent
from tests.correspondence import Correspondence, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE, BOB = "alice@mail.example", "bob@mail.example"
ADMIN = "admin@far.example"
PASSED = "mx.pbem.example; dkim=pass header.d=mail.example header.b=sig{}"
FOUR = "[limits]\nanswers_per_hour = 4\n"
TRUSTING = '[checks]\nauthserv_id = "mx.pbem.example"'


@pytest.mark.slow
@pytest.mark.server(more=FOUR)
def test_mails_forged_in_a_player_s_name_do_not_silence_their_own(letters: Correspondence) -> None:
    turn, personal = letters.last("alice"), letters.received[ALICE][1]
    letters.clock.advance(hours=2)
    sent = [len(letters.write(ALICE, f"say lie {n}", f"{n}")) for n in range(8)]

    assert sent == [1, 1, 1, 1, 1, 0, 0, 0]  # the last reply says that there will be no more
    assert "so we won't reply to the next ones" in " ".join(text(letters.last("alice")).split())
    assert len(letters.reply(personal, "games")) == 1
    assert len(letters.reply(turn, "b7d7 i2g2 1 d7d6 g2g1")) == 2


@pytest.mark.slow
@pytest.mark.server(more=FOUR + TRUSTING)
def test_what_the_domain_vouches_for_is_not_silenced_by_forgeries(letters: Correspondence) -> None:
    spent.answers_at(letters, "mail.example", DOMAIN_PER_DAY - 4)
    for n in range(6):
        letters.write(ALICE, f"set mail batch\nshow {n}", f"{n}")
        letters.write(f"forged{n}@mail.example", "join nobody")
    assert letters.write(ALICE, "set mail daily") == []
    assert letters.write("carol@mail.example", "join carol") == []

    date = letters.clock().strftime("%a, %d %b %Y %H:%M:%S +0000")
    with letters.trusting(PASSED.format(1)):
        assert len(letters.write(ALICE, "set mail daily", "now", Date=date)) == 1
    with letters.trusting(PASSED.format(2)):
        assert len(letters.write("carol@mail.example", "join carol", Date=date)) == 1


@pytest.mark.server(more="[limits]\nstrangers_per_day = 80")
def test_status_says_when_half_of_what_all_strangers_get_is_used(letters: Correspondence) -> None:
    def wrong() -> list[str]:
        with database.read_only(letters.server.engine) as session:
            return [*figures.problems(figures.of_database(session, letters.clock(), letters.server.settings))]

    spent.answers_at(letters, "small.example", 6)  # alice and bob were strangers, too
    letters.write("newcomer@far.example", "join newcomer")
    assert wrong() == []
    spent.answers_at(letters, "small.example", 2)
    assert wrong() == ['half of strangers_per_day in [limits] is used: see "answers left for strangers" in the log']


@pytest.mark.parametrize("line", ["ban alice", "ban bob", "close 1", "rename bob rob"])
@pytest.mark.server(server=f'admin = "{ADMIN}"', more=FOUR)
def test_forged_messages_end_no_moderation_by_mail(letters: Correspondence, line: str) -> None:
    forged = [letters.write(ADMIN, f"rename bob rob{number}", f"{number}") for number in range(9)]
    assert [len(sent) for sent in forged] == [1, 1, 1, 1, 1, 0, 0, 0, 0]
    (refusal,) = forged[4]
    assert "so we won't reply to the next ones" in " ".join(text(refusal).split())
    assert letters.write(ADMIN, line) == []

    (question,) = letters.reply(refusal, line, quote=False)
    assert "Please confirm" in str(question["Subject"])
    letters.reply(question, "yes")
    assert len(letters.execute("select 1 from moderationact")) == 1


@pytest.mark.slow
def test_an_opponent_who_talks_without_end_blocks_no_match(letters: Correspondence) -> None:
    turn, mail = letters.last("alice"), letters.last("bob")
    before = len(letters.received[ALICE])
    spent.news_of(letters, 1, "bob", MATCH_PER_DAY - 12)
    for n in range(4):
        letters.reply(mail, "\n".join(f"say {n} {m}" for m in range(10)))

    assert 0 < len(letters.received[ALICE]) - before <= 12
    assert len(letters.reply(turn, "b7d7 i2g2 1 d7d6 g2g1")) == 2
    assert len(letters.reply(letters.last("alice"), "say Be quiet, please.")) == 2
    assert len(letters.reply(letters.last("bob"), "f1e1 h7g7 1 e1e2 g7g6")) == 2  # even his own


@pytest.mark.server(more="[limits]\nmails_per_hour = 4")
def test_no_budget_drops_a_turn_with_proof(letters: Correspondence) -> None:
    turn, personal = letters.last("alice"), letters.received[ALICE][1]
    sent = [len(letters.reply(personal, f"show 1#{n % 3}")) for n in range(7)]
    assert sent[-3:] == [0, 0, 0]

    assert len(letters.reply(turn, "b7d7 i2g2 1 d7d6 g2g1")) == 2
    assert letters.reply(personal, "games") == []
    assert letters.reply(personal, "#1 a1a1") == []  # not a turn
