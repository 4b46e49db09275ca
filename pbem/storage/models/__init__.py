"""The tables: rows without behaviour or validation. All times are UTC.

Three unique keys make repetitions harmless: Incoming.key, Ply(match, number), Outgoing.message_id.
Every module of tables is imported here, so that the tables are known whoever asks.
"""

from pbem.storage.models.backups import Backup, ServerKey
from pbem.storage.models.calendars import Calendar, Vacation
from pbem.storage.models.community import Block, BlockedAddress, Bulletin, Presence, Seek
from pbem.storage.models.matches import ClockEvent, Match, MatchState, Note, Ply, Prepared, TakenBack
from pbem.storage.models.messages import (
    UNSENT,
    Incoming,
    IncomingState,
    Lane,
    Mention,
    Outgoing,
    OutgoingContent,
    OutgoingLane,
    OutgoingState,
    RawMessage,
    Standing,
)
from pbem.storage.models.moderation import Announcement, ClosedAddress, ModerationAct
from pbem.storage.models.people import ANONYMOUS, HOUSE, IMPORTED, Departure, Invitee, KnownAddress, Player
from pbem.storage.models.ratings import PlayerRating, RatedWeek
from pbem.storage.models.searches import Analysis, Search, SearchKind
from pbem.storage.models.tournaments import Entry, LadderStep, Pairing, Tournament
from pbem.storage.models.uptime import Clock, Daemon, Outage, Setback
from pbem.storage.models.watching import Watch
