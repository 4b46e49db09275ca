"""All features, each in one value. Without its value, nothing is left of a feature that anybody could notice.

It is handed in at the top: by the daemon, the operator's commands and the tests. The core knows none by name.
"""

from pbem.conversation.command import Group
from pbem.conversation.feature import Feature, Features
from pbem.features.accounts import strangers
from pbem.features.accounts.address import CHANGE, REVOKE, settle
from pbem.features.accounts.data_export import EXPORT, rows_of
from pbem.features.accounts.joining_and_leaving import DELETE, JOIN
from pbem.features.accounts.name_rules import is_name
from pbem.features.accounts.settings import SET
from pbem.features.accounts.stop_and_start import RESUME, START, STOP
from pbem.features.challenges.commands import ACCEPT, CHALLENGE, DECLINE, PLAY, REMATCH, WITHDRAW
from pbem.features.challenges.commands import DUE as CHALLENGES_DUE
from pbem.features.explaining.commands import HELP, RULES
from pbem.features.explaining.write_to_operator import HUMAN
from pbem.features.house.hints_and_analyses import ANALYSE, HINT
from pbem.features.moderation import broadcasts
from pbem.features.moderation.lists import ACTS, PLAYERS
from pbem.features.moderation.orders import ADJUDICATE, ANNOUNCE, BAN, CLOSE, RENAME, UNBAN
from pbem.features.people.commands import ALLOW, BLOCK, HISTORY, LIMIT_COMMAND, REFUSE, UNBLOCK, WHO, WHOIS
from pbem.features.playing.conditional_moves import CONDITIONS, IF, QUEUE
from pbem.features.playing.match_commands import CLAIM, GIVE, MOVE, RESIGN, SAY, UNDO
from pbem.features.playing.notes import NOTE
from pbem.features.playing.offers import CANCEL, DRAW, MUTE, PAUSE
from pbem.features.playing.viewing import GAMES_COMMAND, PREVIEW, RECORD, SHOW
from pbem.features.ratings.commands import STANDINGS
from pbem.features.replays.match_from_position import REPLAY
from pbem.features.seeks import seeks
from pbem.features.seeks.commands import DUE as SEEKS_DUE
from pbem.features.seeks.commands import SEEK, SEEKS, TAKE, UNSEEK
from pbem.features.time import due as time_due
from pbem.features.time.vacations import VACATION
from pbem.features.tournaments import due as tournaments_due
from pbem.features.tournaments import entries
from pbem.features.tournaments.commands import CLIMB, ENTER, HOST, RETIRE, TOURNAMENT, TOURNAMENTS
from pbem.features.watching import due
from pbem.features.watching.commands import UNWATCH, WATCH
from pbem.matches import agreements
from pbem.players import blocks, player_directory, watching_rights, willingness
from pbem.players.erasure import deletes
from pbem.storage.models import Analysis, Entry, ModerationAct, Seek, Vacation, Watch
from pbem.tokens import Purpose

ACCOUNTS = Feature(
    name="accounts",
    commands={
        Group.CHALLENGES: (JOIN,),
        Group.ACCOUNT: (SET, STOP, START, CHANGE, REVOKE, EXPORT, DELETE),
        Group.TURNS: (RESUME,),
    },
    topics={
        "leaving": "leave quit quitting unregister forget privacy data gdpr",
        "mail": "mails messages email emails",
    },
    answers={Purpose.ADDRESS: settle},
    rereads=strangers.reread,
    introduces=strangers.of_newcomer,
    accepts_name=is_name,
)
CHALLENGES = Feature(
    name="challenges",
    commands={Group.CHALLENGES: (CHALLENGE, PLAY, ACCEPT, DECLINE, WITHDRAW, REMATCH)},
    topics={"opponent": "opponents partner partners player people someone somebody friend friends against"},
    due=CHALLENGES_DUE,
)
PLAYING = Feature(
    name="playing",
    preferences=(agreements.UNDO,),
    commands={
        Group.TURNS: (MOVE, IF, QUEUE, CONDITIONS, UNDO, RESIGN, DRAW, PAUSE, CANCEL, CLAIM, SAY, NOTE, MUTE),
        Group.BOARDS: (GAMES_COMMAND, SHOW, PREVIEW, RECORD),
    },
    topics={
        "first": "begin beginner beginning started newbie new introduction intro tutorial guide play playing"
        " work works",
        "ending": "end draws drawn win wins winner winning lose loss over finish tie stalemate result results",
    },
)
TIME = Feature(
    name="time",
    commands={Group.ACCOUNT: (VACATION,), Group.TURNS: (GIVE,)},
    topics={"time": "clock clocks deadline deadlines control controls timeout timeouts limits hours time="},
    due=time_due.DUE,
    on_leave=deletes(Vacation),
    exports={"vacations": rows_of(Vacation, "chosen begins ends told")},
)
SEEKING = Feature(
    name="seeks",
    commands={Group.CHALLENGES: (SEEK, SEEKS, TAKE, UNSEEK)},
    due=SEEKS_DUE,
    on_leave=seeks.forget,
    on_ban=seeks.forget,
    exports={"seeks": rows_of(Seek, f"id {' '.join(seeks.TERMS)} repeat created expires closed")},
)
TOURNAMENTS_ = Feature(
    name="tournaments",
    commands={Group.CONTESTS: (TOURNAMENTS, TOURNAMENT, ENTER, CLIMB, RETIRE, HOST)},
    topics={
        "tournaments": "round-robin swiss knock-out knockout crosstable buchholz sonneborn-berger tiebreak league cup",
        "ladder": "ladders rung rungs",
    },
    due=tournaments_due.DUE,
    on_leave=entries.forget,
    on_ban=entries.forget,
    exports={"tournaments": rows_of(Entry, "tournament entered seed rung withdrawn")},
)
HOUSE = Feature(
    name="house",
    commands={Group.TURNS: (HINT,), Group.BOARDS: (ANALYSE,)},
    topics={
        "house": "level levels computer bot bots robot ai engine machine program strength difficulty alone solo"
        " practice",
    },
    on_leave=deletes(Analysis),
    exports={"analyses": rows_of(Analysis, "match asked done")},
)
RATINGS = Feature(
    name="ratings",
    commands={Group.CONTESTS: (STANDINGS,)},
    topics={"ratings": "rating rated glicko elo ranking rankings points provisional"},
)
RECORDS_ = Feature(name="records", commands={Group.CHALLENGES: (REPLAY,)})
PEOPLE = Feature(
    name="people",
    commands={Group.PLAYERS: (WHO, WHOIS, HISTORY, BLOCK, UNBLOCK, REFUSE, ALLOW, LIMIT_COMMAND)},
    preferences=(player_directory.LISTED, willingness.LIMIT, willingness.REJECTS),
    on_leave=blocks.forget,
    exports={"blocked": blocks.export},
)
WATCHING = Feature(
    name="watching",
    commands={Group.BOARDS: (WATCH, UNWATCH)},
    topics={"watching": "spectator spectators observe observer observers audience live"},
    preferences=(watching_rights.WATCHERS,),
    due=due.DUE,
    on_leave=deletes(Watch),
    on_ban=deletes(Watch),
    exports={"watches": rows_of(Watch, "match created")},
)
EXPLAINING = Feature(name="explaining", commands={Group.EXPLANATIONS: (HELP, RULES, HUMAN)})
MODERATION = Feature(
    name="moderation",
    commands={Group.MODERATION: (PLAYERS, ACTS, CLOSE, ADJUDICATE, BAN, UNBAN, RENAME, ANNOUNCE)},
    due=broadcasts.DUE,
    exports={"moderation": rows_of(ModerationAct, "at act former_name note")},
)
FEATURES = Features(
    *(PLAYING, TIME, ACCOUNTS, CHALLENGES, SEEKING, TOURNAMENTS_, HOUSE, RATINGS, RECORDS_, PEOPLE, WATCHING),
    *(EXPLAINING, MODERATION),
)
"""All of them, in the order in which help lists their commands and their work is done."""
