"""The command set: what a player has chosen, shown and changed."""

from collections.abc import Mapping

from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import Piece, opt, words
from pbem.errors import Refused
from pbem.matches.clock import calendars, timekeeping
from pbem.matches.clock.calendars import DAYS, TooManyChoices
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.clock.working_days import DAYS_OFF, EVERY_DAY, format_days, parse_days
from pbem.matches.queries import awaiting, locked, seat_of
from pbem.messages import delivery_choices
from pbem.messages.contents.answer_sections import Choice, PreferenceHelp, Preferences
from pbem.messages.general_preferences import with_defaults
from pbem.messages.times_shown import moment
from pbem.storage.models import Match, MatchState, Player
from pbem.storage.preference_definition import Preference

MOST_MATCHES = 50
ALONE = "when news of that match comes"
SETTINGS = Piece("SETTING VALUE ...", ".+", str, is_rest=True, is_free=True)


def set_(request: Request, line: Line) -> Decision:
    words = [word for word in line.words.replace("=", " ").split() if word.lower() not in ("to", "at", "set")]
    choices: dict[str, str] = {}
    while words:
        name, choice = _setting(request.features.preferences, words, line)
        if name == delivery_choices.MAIL and words[:1] and words[0].lower() == "for":
            name = _for_match(request, words, line)
        choices[name] = choice
    return chosen(request, line, choices)


def chosen(request: Request, line: Line, choices: Mapping[str, str]) -> Decision:
    player = request.session.get_one(Player, request.player.id, with_for_update=True)
    before = settings = player.settings
    known = request.features.preferences
    for name, choice in choices.items():
        if name in known:
            settings = known[name].changed(settings, choice)
        else:  # for one match
            settings = {other: value for other, value in settings.items() if other != name}
            settings |= {} if choice == delivery_choices.SAME else {name: delivery_choices.OWN.chosen(choice)}
    if choices:
        player.settings = settings
    for preference in known.values():
        if preference.on_choice is not None and preference.name in choices:
            preference.on_choice(request.session, player, request.now)
    days_from = _choose_days(request, player, before, line) if {DAYS, ZONE}.intersection(choices) else ""
    if {timekeeping.REMIND, ZONE}.intersection(choices):
        for waiting in awaiting(request.session, player):
            match = locked(request.session, waiting.id or 0) if waiting.clock is not None else None
            if match is not None:
                timekeeping.choose_reminders(request.session, match, request.now)
    rows = (
        PreferenceHelp(name=name, choice=preference.of(settings), spelled=preference.spelled, help=preference.help)
        for name, preference in known.items()
    )
    own = (
        PreferenceHelp(name=f"mail {choice} for", choice=str(number), spelled=f"mail same for {number}", help=ALONE)
        for number, choice in delivery_choices.matches_in(settings).items()
    )
    changes = tuple(
        Choice(name=name, choice=known[name].of(settings) if name in known else choice)
        for name, choice in choices.items()
    )
    return Decision(answer=(Preferences(changed=changes, rows=(*rows, *own), days_from=days_from),))


def _for_match(request: Request, words: list[str], line: Line) -> str:
    """Take the match that a choice is about from the words; return the name of the setting."""
    number = words[1].strip("#.") if len(words) > 1 else ""
    del words[:2]
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise Refused("Which match?", read=line.text, fits='For example "set mail daily for 42".')
    match, player = request.session.get(Match, int(number)), request.player
    if match is None or seat_of(match, player) is None or match.state == MatchState.OVER:
        raise Refused(f"You don't play in match #{number}.", read=line.text, fits='"games" lists your matches.')
    if len(delivery_choices.matches_in(player.settings)) >= MOST_MATCHES:
        raise Refused(
            f"You have chosen for {MOST_MATCHES} matches already, and that's the limit.",
            fits=f'"set {delivery_choices.MAIL} {delivery_choices.SAME} for NUMBER" takes one back.',
        )
    return delivery_choices.for_match(match.id)


def _choose_days(request: Request, player: Player, before: Mapping[str, str], line: Line) -> str:
    """Let the days and the time zone that the sender has chosen count. Return from when on, in words."""
    chosen = with_defaults(player.settings)
    if len(EVERY_DAY - parse_days(chosen[DAYS])) > DAYS_OFF and chosen[DAYS] != with_defaults(before)[DAYS]:
        raise Refused(
            f"On this server, your clock can stop on {DAYS_OFF} of the 7 days of the week.",
            read=line.text,
            fits=f'For example "set days {format_days(frozenset(range(7 - DAYS_OFF)))}".',
        )
    try:
        begins = calendars.choose(request.session, player, with_defaults(before)[ZONE], request.now)
    except TooManyChoices as error:
        sentence = "You've changed your days or your time zone too often today."
        raise Refused(sentence, fits="Try again tomorrow.") from error
    if begins is None or DAYS not in {**before, **player.settings}:
        return ""
    return moment(begins, chosen[ZONE], request.now)


def _setting(known: Mapping[str, Preference], words: list[str], line: Line) -> tuple[str, str]:
    written = words.pop(0)
    name = written.lower()
    if name in known and words:
        end = next((at for at, word in enumerate(words) if at and word.lower() in known), len(words))
        end = min(end, known[name].words)
        choice, words[:end] = " ".join(words[:end]), []
        return name, choice
    why = "A setting needs a name and a value." if not words else f'There is no setting called "{written[:40]}".'
    raise Refused(why, read=line.text, fits='"set" alone lists them all.')


KEYWORDS = (
    "settings setting preferences preference picture pictures image images html unicode ascii words "
    "colour color automove forced digest daily batch frequency mails receipt zone timezone hour blind "
    "screenreader remind reminder reminders nag nagtime weekend weekends workdays"
)
SET = Command(
    "set",
    words(opt(SETTINGS)),
    'choose how our messages look and when they come; "set" alone lists your settings',
    set_,
    keywords=KEYWORDS,
)
