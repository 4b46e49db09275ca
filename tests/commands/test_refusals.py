"""What is wrong with a line is told in a sentence, with what would work, and changes nothing: a table without mail."""

from sqlmodel import Session, select

from pbem.conversation import refusals
from pbem.matches import lifecycle
from pbem.matches.obstacles import Obstacle
from pbem.messages.contents.answer_sections import Refusal
from pbem.storage.models import Block, ClockEvent, Match, Player, Ply, Prepared, Seek
from pbem.storage.verdicts import Outcome
from tests.commands.requests import asked, run
from tests.contests import NOW, people, play, started

LEGAL = "if e9f8 then b3b4"
ONLY_NAMED = "You can only prepare to resign after a turn of your opponent that you name."

BY_ALICE: list[tuple[str, str, str]] = [
    # Which match
    ("show 99", "There is no match #99.", '"games" lists yours.'),
    ("e3f4", "It's not your turn in match #1.", "Wait until we write that it's your turn."),
    # Offers
    ("accept", "There is no such offer in match #1", ""),
    ("withdraw draw", "There is no such offer in match #1", ""),
    ("accept cheese", '"cheese" isn\'t something you can accept.', 'Write "accept draw"'),
    ("mute maybe", 'We can\'t read "maybe" after "mute".', '"mute [NUMBER] [off]"'),
    ("record 1 half", 'We can\'t read "half" after "record".', '"record [NUMBER[#TURN]] [full]"'),
    ("resume", "Match #1 isn't paused.", 'To get news by email again, write "start".'),
    ("resign now please", "You want to give up the match.", ""),
    ("say", "There is nothing to send.", 'Write "say TEXT".'),
    # Challenges
    ("challenge", "Which player?", "PLAYER|ADDRESS GAME"),
    ("challenge bob", "Which game?", "The games: quadraphages, hexaphages"),
    ("challenge nobody quadraphages", "No player is called nobody.", "write their email address instead"),
    ("challenge alice quadraphages", "You can't challenge yourself.", "Name another player"),
    ("challenge a@b,c@d quadraphages", "a@b,c@d is not an email address.", "challenge bob@example.org quadraphages"),
    ("challenge bob kvadratik begin=never", "Begin=never is not a choice; use begin=me, begin=you", ""),
    ("challenge bob kvadratik time=5y", '"y" is no unit of time; use w, d, h, m.', ""),
    ("challenge bob kvadratik undo=never", "Undo=never is not a choice; use undo=free or undo=asked.", ""),
    ("play kvadratik undo=free", "The house agrees to every takeback.", 'Leave out "undo=free".'),
    ("replay 1#1 bob undo=free", "In a replay, you ask before you take a turn back.", 'Leave out "undo=free".'),
    # Seeks and other players
    ("seek kvadratik rating=strong", '"rating=strong" is not a range of ratings.', '"rating=1400-1700"'),
    ("take 99", "Seek 99 isn't open", '"seeks" lists those that are open.'),
    ("unseek 3", "You have no open seek 3.", '"seeks" lists the open ones.'),
    ("block nobody", "No player is called nobody.", '"who" lists players'),
    # Accounts
    ("join somebody", "You're already alice.", "games+"),
    ("change address", "Which address?", '"change address alice@example.org"'),
    ("change password secret", "There are no passwords here", "change address"),
    ("change address nonsense", "nonsense can't be your email address.", ""),
    ("change address alice@mail.example", "alice@mail.example is already your address.", ""),
    ("change address games@pbem.example", "games@pbem.example can't be your email address.", ""),
    ("change address games+x@pbem.example", "games+x@pbem.example can't be your email address.", ""),
    ("export bob", '"export" is only about you and the data we hold on you.', '"export me"'),
    ("delete bob", '"delete" is only about you and the data we hold on you.', '"delete me"'),
    # Help and choices
    ("rules go", 'There is no game called "go".', '"rules quadraphages"'),
    ("help rulez", 'There is no help on "rulez".', '"help rules"'),
    ("set mail daily for", "Which match?", '"set mail daily for 42"'),
    ("set mail daily for 99", "You don't play in match #99.", '"games" lists your matches.'),
    ("set mail hourly for 1", '"mail" can\'t be "hourly".', '"set mail daily"'),
    ("set spectating hourly", '"spectating" can\'t be "hourly".', '"set spectating weekly"'),
    # Time
    ("give", 'We can\'t read what follows "give".', '"give [NUMBER] 2d"'),
    ("give 8d", '"8d" is too much.', 'Give from 1 hour to 7 days, as in "give 2d".'),
    ("give 999999w", "999999w is too long; the longest is 3650d.", 'as in "give 2d"'),
    ("give 0d", '"0d" is too little.', 'Give from 1 hour to 7 days, as in "give 2d".'),
    ("give 2y", '"y" is no unit of time; use w, d, h, m.', 'as in "give 2d"'),
    ("give 2d", "Match #1 has no time limit.", '"cancel" suggests ending it without a result.'),
    # Days off, vacations, pauses and reminders
    ("vacation 2026-02-02 2026-02-05", "2026-02-02 is in the past; today is 2026-02-03. For example", ""),
    ("vacation 31d", 'That takes 31 days of 2026, and you have 30 left. For example "vacation 30d".', ""),
    ("vacation 10y", '"10y" is no number of days or weeks, and no date. For example "vacation 10d" or', ""),
    ("claim", "Match #1 has no time limit.", ""),
    ("vacation off", "You aren't on vacation, and haven't planned one.", ""),
    ("set days mon-thu", "On this server, your clock can stop on 2 of the 7 days of the week.", "set days mon-fri"),
    ("set days weekdays", '"days" can\'t be "weekdays".', "set days mon-fri"),
    ("set remind 150%", '"remind" can\'t be "150%".', '"set remind 50% 1d" or "set remind off"'),
    ("set remind next week", '"remind" can\'t be "next week".', '"set remind 50% 1d" or "set remind off"'),
    ("pause 2026-02-03", "2026-02-03 isn't in the future; today is 2026-02-03. For example", ""),
    ("pause 10y", '"10y" is no number of days or weeks, and no date. For example "pause 10d" or', ""),
    ("challenge bob quadrature weekends=off time=none", '"weekends=off" needs a limit: add for example', ""),
    ("challenge bob quadrature weekends=maybe", '"weekends=maybe" is not a choice; use weekends=off', ""),
    ("challenge bob quadrature time=auto", '"auto" needs a limit. For example', ""),
    ("challenge bob quadrature time=3d/move --forfeittime=3", '"time=3d/move" and "--forfeittime" say the same', ""),
    ("challenge bob quadrature --nagtime=soon", '"--nagtime=soon" needs a number of days.', ""),
    ("challenge bob quadrature time=10d/0d", "0m is out of range: 1h to 3650d.", ""),
    # Settings
    ("set board braille", '"board" can\'t be "braille".', '"set board ascii" or "set board unicode"'),
    ("set hour 24", '"hour" can\'t be "24".', 'For example "set hour 18".'),
    ("set zone Mars/Olympus", '"zone" can\'t be "Mars/Olympus".', 'For example "set zone Europe/Vienna".'),
    ("set zone ../../etc/passwd", '"zone" can\'t be "../../etc/passwd".', 'For example "set zone Europe/Vienna".'),
    ("set colour red", 'There is no setting called "colour".', '"set" alone lists them all.'),
    ("set board", "A setting needs a name and a value.", '"set" alone lists them all.'),
    ("set board words mail never", '"mail" can\'t be "never".', '"set mail each"'),
    # Watching, looking back, and records
    ("watch 9", "There is no match #9.", '"watch 42"'),
    ("watch alice", "Matches are watched one by one, by their numbers.", '"games NAME" lists those of a player'),
    ("watch 1", "You play in match #1, so you see all of it anyway.", ""),
    ("watch tournament 9", "Matches are watched one by one, by their numbers.", '"games NAME"'),
    ("unwatch 1", "You don't watch that.", '"watch" lists what you watch.'),
    ("show 1#4", "Match #1 has 1 turn, so there is no turn 4.", '"show 1#0" is its beginning, "show 1#1" its last'),
    ("preview 1#9 b3b4", "Match #1 has 1 turn, so there is no turn 9.", ""),
    ("replay 1#7 bob", "Match #1 has 1 turn, so there is no turn 7.", ""),
    ("replay 9#1 bob", "There is no match #9.", '"games" lists yours.'),
    (
        "challenge bob quadrupel swap=off rated",
        "Rated matches and tournaments of Quadrupel are",
        'Leave out "swap=off".',
    ),
    ("replay 1#1 bob rated", "Matches that begin at a position aren't rated.", 'Leave out "rated".'),
    ("replay 1#1 bob kvadratik", "The game of a replay is that of the match.", "replay 42#7 bob"),
    ("replay 1#1 house", "The house doesn't help in a match that isn't over yet.", ""),
    ("replay 1#1 bob level=3", "A person plays as they play; only the house has levels.", ""),
    ("rules kvadratik xx", "The rules of Kvadratik aren't there in that language.", '"rules kvadratik" sends them.'),
    # Conditions
    ("if e9e8 then e9e8", "Turn 2 of it: there is no man on e9", ""),
    ("if e9f8", "It ends with a turn of your opponent.", 'Add "then" and your own turn.'),
    ("if he plays e9f8 then I play f3g4", "We can't read this as a turn", 'start the line with "say"'),
    ("queue", "Which turn?", '"queue [NUMBER] TURN"'),
    ("queue e9 to the end", "We can't read this as a turn", 'start the line with "say"'),
    ("conditions", "You have prepared nothing in match #1.", '"if TURN then TURN"'),
    ("cancel conditions", "You have prepared nothing in match #1.", '"if TURN then TURN"'),
    ("queue resign", 'We can\'t read what follows "queue".', '"queue [NUMBER] TURN"'),
    ("if resign then e9f8", ONLY_NAMED, '"resign" alone gives up now.'),
    ("if e9f8 then b3b4 then else resign", f"Turn 3 of it: {ONLY_NAMED}", '"if TURN then resign"'),
    ("if e9f8 then resign then if b9b8 then b3b4", "Turn 3 of it: The match would be over before that.", ""),
    (f"{LEGAL} / if e9f8 then resign", "There are two answers to the same turn.", '"cancel conditions" drops'),
    ("else b3b4 / if e9f8 then b3b9", "Line 2: Turn 2 of it: b3b9 is not a step", ""),
]
BY_BOB: list[tuple[str, str, str]] = [
    ("e9e7", "e9e7 is not a step", ""),
    ("e9z8", "We can't read this as a turn: we expected a letter from a to k", ""),
    (LEGAL, "It's your turn in match #1", ""),
]
BY_CAROL = [
    (line, "You don't play in match #1.", "")
    for line in ("e9f8", "resign", "undo", "draw", "claim", "pause", "mute", "say hello", "accept 1", LEGAL)
]
WHEN_OVER = (
    *("draw", "undo", "pause", "pause 10d", "cancel", "mute", "resume", "claim", "accept draw", "reject draw"),
    *("withdraw draw", LEGAL, "queue e9f8", "cancel conditions", "conditions", "resign", "e9f8"),
)
CASES = [(number, *row) for number, rows in enumerate((BY_ALICE, BY_BOB, BY_CAROL)) for row in rows]


def standing(session: Session) -> list[dict[str, object]]:
    """Return everything that these lines could change."""
    session.flush()
    session.expire_all()
    tables = (Player, Match, Ply, Prepared, ClockEvent, Seek, Block)
    return [row.model_dump() for table in tables for row in session.exec(select(table))]


def refused(session: Session, author: int, lines: str) -> Refusal:
    """Check that the lines are refused and change nothing. Return the refusal."""
    before = standing(session)
    reply = run(asked(session, people(session)[author]), *lines.split(" / "))
    (refusal,) = (section for section in reply.sections if isinstance(section, Refusal))
    assert (reply.verdict.outcome, standing(session)) == (Outcome.REFUSED, before)
    return refusal


def test_what_is_wrong_is_named_and_changes_nothing(session: Session) -> None:
    play(session, started(session, "quadrature"), "e3f4")  # match #1 of alice and bob, in which it's bob's turn

    for author, lines, sentence, fits in CASES:
        refusal = refused(session, author, lines)
        assert refusal.sentence.startswith(sentence), lines
        assert fits in refusal.fits, lines


def test_nothing_is_done_in_a_match_that_is_over(session: Session) -> None:
    match = started(session, "quadrature")
    play(session, match, "e3f4")
    lifecycle.resign(session, match, 0, NOW)

    for line in WHEN_OVER:
        sentence = refused(session, 1, line).sentence
        assert sentence.startswith(("Match #1 is over", "Match #1 is no longer open; it is over.")), line


def test_each_obstacle_is_put_into_words_here_or_where_it_is_met() -> None:
    elsewhere = {Obstacle.NOT_A_PLAYER, Obstacle.MOVED_ON, Obstacle.UNFINISHED, Obstacle.COMPLETE}

    assert {Obstacle[name] for name in refusals._sentences()} == set(Obstacle) - elsewhere
