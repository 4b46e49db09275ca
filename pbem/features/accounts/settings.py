"""Settings: set, stop, start; and resume, which also ends the pause of a match."""

from collections.abc import Mapping

from pbem.conversation.core import Command, Decision, Group, Line, Request
from pbem.conversation.refusals import in_words
from pbem.conversation.target import own_match
from pbem.errors import Refused
from pbem.features.bulletin import bulletins
from pbem.features.challenges import invitations
from pbem.features.people import directory
from pbem.features.people.directory import LISTED
from pbem.features.playing.viewing import games
from pbem.matches import agreements, lifecycle
from pbem.matches.clock import calendars, timekeeping
from pbem.matches.clock.calendars import DAYS, TooManyChoices
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.clock.wording import moment
from pbem.matches.clock.working_days import DAYS_OFF, EVERY_DAY, format_days, parse_days
from pbem.matches.queries import awaiting, locked, of_player, version
from pbem.messages.said.sections import Choice, NewsResumed, PreferenceHelp, Preferences
from pbem.messages.said.subscriptions import InvitationsAllowed, InvitationsStopped, NewsStarted, NewsStopped
from pbem.players import schedule
from pbem.players.preferences import BULLETIN, HOUR, ON, PREFERENCES, changed, with_defaults
from pbem.storage.models import MatchState, Player


def set_(request: Request, line: Line) -> Decision:
    """Change the sender's settings, or list them."""
    words = [word for word in line.words.replace("=", " ").split() if word.lower() not in ("to", "at")]
    choices: dict[str, str] = {}
    while words:
        name, choice = _setting(words, line)
        choices[name] = choice
    return chosen(request, line, choices)


def chosen(request: Request, line: Line, choices: Mapping[str, str]) -> Decision:
    """Store what the sender has chosen, by setting; without any choice, list all settings."""
    player = request.session.get_one(Player, request.player.id, with_for_update=True)
    before = settings = player.settings
    for name, choice in choices.items():
        settings = changed(settings, name, choice)
    if choices:
        player.settings = settings
        request.session.add(player)
    if LISTED in choices:
        directory.show(request.session, player, request.now, listed=with_defaults(settings)[LISTED] == ON)
    if {BULLETIN, ZONE, HOUR}.intersection(choices):
        wanted = with_defaults(settings)[BULLETIN] == ON
        bulletins.choose(request.session, player, request.now, wanted=wanted)
    days_from = _choose_days(request, player, before, line) if {DAYS, ZONE}.intersection(choices) else ""
    if {timekeeping.REMIND, ZONE}.intersection(choices):
        _choose_reminders(request)
    current = with_defaults(settings)
    rows = (
        PreferenceHelp(name=name, choice=current[name], spelled=preference.spelled, help=preference.help)
        for name, preference in PREFERENCES.items()
    )
    made = tuple(Choice(name=name, choice=current[name]) for name in choices)
    return Decision(answer=(Preferences(changed=made, rows=tuple(rows), days_from=days_from),))


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


def _setting(words: list[str], line: Line) -> tuple[str, str]:
    """Take the name of a setting and what is chosen for it from the words."""
    wanted = words.pop(0)
    name = wanted.lower()
    if name in PREFERENCES and words:
        end = next((at for at, word in enumerate(words) if at and word.lower() in PREFERENCES), len(words))
        end = min(end, PREFERENCES[name].words)
        choice, words[:end] = " ".join(words[:end]), []
        return name, choice
    why = "A setting needs a name and a value." if not words else f'There is no setting called "{wanted[:40]}".'
    raise Refused(why, read=line.text, fits='"set" alone lists them all.')


def _choose_reminders(request: Request) -> None:
    """Let the sender's choice hold for the turns that wait for them."""
    for waiting in awaiting(request.session, request.player):
        match = locked(request.session, waiting.id or 0) if waiting.clock is not None else None
        if match is not None:
            timekeeping.choose_reminders(request.session, match, request.now)


def stop(request: Request, line: Line) -> Decision:
    """Stop news to the sender; matches go on, and news is kept for their return. A guest isn't invited again."""
    guest = request.sender.player
    if guest is not None and guest.confirmed is None:
        return _rule_out(request, guest)
    player = request.player
    player.stopped = player.stopped or request.now
    schedule.pause(request.session, player)
    for match in awaiting(request.session, player):  # their time runs on, though the message about it isn't sent
        timekeeping.hand_over(request.session, match.id or 0, version(match), request.now)
    return Decision(answer=(NewsStopped(),))


def _rule_out(request: Request, guest: Player) -> Decision:
    """Let nobody invite the guest again, and decline what they were offered."""
    invitations.rule_out(request.session, guest.address, request.now)
    offered = (match.id or 0 for match in of_player(request.session, guest, (MatchState.OFFERED,)))
    matches = (locked(request.session, number) for number in offered)
    declined = (lifecycle.decline(request.session, match, guest, request.now) for match in matches if match is not None)
    return Decision(answer=(InvitationsStopped(),), events=tuple(event for events in declined for event in events))


def start(request: Request, line: Line) -> Decision:
    """Resume news to the sender, and list their matches. A guest can be invited again."""
    guest = request.sender.player
    if guest is not None and guest.confirmed is None:
        invitations.allow(request.session, guest.address)
        return Decision(answer=(InvitationsAllowed(),))
    player = request.player
    started = NewsStarted(since=f"{player.stopped:%Y-%m-%d}" if player.stopped else None)
    schedule.resume(request.session, player)
    return Decision(answer=(started, *games(request, line).answer))


def resume(request: Request) -> Decision:
    """Resume news to a player who had stopped them and plays on."""
    player = request.sender.player
    if player is None or player.stopped is None:
        return Decision()
    schedule.resume(request.session, player)
    return Decision(answer=(NewsResumed(),))


def resume_match(request: Request, line: Line) -> Decision:
    """End the pause of a match; without a match, the same as `start`."""
    if line.match is None:
        return start(request, line)
    match, _, seat = own_match(request, line)
    with in_words(line):
        return Decision(events=agreements.resume(request.session, match, seat, request.now))


SET = Command(
    "set",
    "[SETTING VALUE ...]",
    'choose how our messages look and when they arrive; "set" alone lists your settings',
    set_,
    changes=True,
    words=(0, sum(1 + preference.words for preference in PREFERENCES.values())),
    group=Group.ACCOUNT,
    brief="choose how our messages look and when they come",
)
STOP = Command(
    "stop",
    "",
    'stop news by email until you write "start" or make a move; your matches go on',
    stop,
    changes=True,
    aliases=("signoff", "unsubscribe", "never"),
    group=Group.ACCOUNT,
    brief="stop news by email",
)
START = Command(
    "start",
    "",
    'get news by email again after "stop", with a list of your matches',
    start,
    changes=True,
    aliases=("signon",),
    group=Group.ACCOUNT,
    brief="get news again",
)
RESUME = Command(
    "resume",
    "[NUMBER]",
    'end the pause of a match; without a match, the same as "start"',
    resume_match,
    changes=True,
    of_match=True,
    resumes=True,
    group=Group.TURNS,
    brief="end a pause",
)
