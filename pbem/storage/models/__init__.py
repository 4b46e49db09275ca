"""The tables: rows without behaviour or validation. All times are UTC.

Three unique keys make repetitions harmless: Incoming.key, Ply(match, number), Outgoing.message_id.
Every module of tables is imported here, so that the tables are known whoever asks.
"""

from pbem.storage.models.matches import (
    Analysis,
    ClockEvent,
    Match,
    MatchState,
    OwnText,
    Ply,
    Prepared,
    Search,
    SearchKind,
    TakenBack,
    Watch,
)
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
from pbem.storage.models.people import (
    ANONYMOUS,
    HOUSE,
    IMPORTED,
    Announcement,
    Block,
    BlockedAddress,
    Calendar,
    ClosedAddress,
    Departure,
    Invitee,
    KnownAddress,
    ModerationAct,
    Player,
    PlayerRating,
    Presence,
    RatedWeek,
    Seek,
    Vacation,
)
from pbem.storage.models.server import Clock, Daemon, Outage, ServerKey, Setback
from pbem.storage.models.tournaments import Entry, Pairing, Tournament
