-- The tables, in the words of PostgreSQL; script.py puts four of them into those of SQLite.
-- pbem/storage/models says what the columns mean. Of several indexes that fit, SQLite prefers the one made last.

-- People

CREATE TABLE player (
    id SERIAL PRIMARY KEY,
    name VARCHAR UNIQUE,
    address VARCHAR NOT NULL UNIQUE,
    confirmed TIMESTAMPTZ,
    epoch INTEGER NOT NULL,
    settings JSON NOT NULL DEFAULT '{}',
    stopped TIMESTAMPTZ,
    bounces INTEGER NOT NULL DEFAULT '0',
    bounced TIMESTAMPTZ,
    unreachable TIMESTAMPTZ,
    complained TIMESTAMPTZ,
    deleted TIMESTAMPTZ,
    banned TIMESTAMPTZ,
    trusted TIMESTAMPTZ,
    created TIMESTAMPTZ NOT NULL
);
CREATE INDEX ix_player_unreachable ON player (unreachable) WHERE unreachable IS NOT NULL;
CREATE INDEX ix_player_banned ON player (name) WHERE banned IS NOT NULL;
CREATE INDEX ix_player_stopped ON player (name) WHERE stopped IS NOT NULL;
CREATE INDEX ix_player_complained ON player (complained) WHERE complained IS NOT NULL;

CREATE TABLE knownaddress (
    player INTEGER NOT NULL REFERENCES player (id),
    address VARCHAR NOT NULL,
    since TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (player, address)
);

CREATE TABLE invitee (
    address VARCHAR NOT NULL PRIMARY KEY,
    domain VARCHAR NOT NULL,
    invited TIMESTAMPTZ,
    refused TIMESTAMPTZ
);
CREATE INDEX ix_invitee_domain_invited ON invitee (domain, invited);
CREATE INDEX ix_invitee_invited ON invitee (invited);

CREATE TABLE departure (
    player INTEGER NOT NULL PRIMARY KEY REFERENCES player (id),
    name VARCHAR,
    former_names JSON NOT NULL DEFAULT '[]',
    addresses JSON NOT NULL,
    digest VARCHAR NOT NULL,
    "left" TIMESTAMPTZ NOT NULL,
    swept TIMESTAMPTZ
);
CREATE INDEX ix_departure_digest ON departure (digest);
CREATE INDEX ix_departure_left ON departure ("left");
CREATE INDEX ix_departure_swept ON departure (swept);

-- Messages received

CREATE TABLE incoming (
    id SERIAL PRIMARY KEY,
    key VARCHAR NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    sender VARCHAR,
    recipients JSON NOT NULL,
    state VARCHAR NOT NULL,
    attempts INTEGER NOT NULL DEFAULT '0',
    verdict VARCHAR,
    error VARCHAR,
    player INTEGER REFERENCES player (id),
    proof VARCHAR,
    cost INTEGER NOT NULL DEFAULT '0',
    received TIMESTAMPTZ NOT NULL,
    handled TIMESTAMPTZ,
    removed TIMESTAMPTZ,
    lane INTEGER NOT NULL DEFAULT '0',
    "group" VARCHAR,
    round INTEGER NOT NULL DEFAULT '0',
    leased_until TIMESTAMPTZ,
    holder VARCHAR
);
CREATE INDEX ix_incoming_player_received ON incoming (player, received);
CREATE INDEX ix_incoming_sender ON incoming (sender);
CREATE INDEX ix_incoming_state_handled ON incoming (state, handled) WHERE removed IS NULL;
CREATE INDEX ix_incoming_waiting ON incoming (lane, round, id) WHERE state = 'new';
CREATE INDEX ix_incoming_group ON incoming ("group", id, lane) WHERE state = 'new';
CREATE UNIQUE INDEX ix_incoming_proof ON incoming (proof) WHERE proof IS NOT NULL;

CREATE TABLE rawmessage (
    incoming INTEGER NOT NULL PRIMARY KEY REFERENCES incoming (id),
    raw BYTEA NOT NULL
);

-- Matches

CREATE TABLE match (
    id SERIAL PRIMARY KEY,
    game VARCHAR NOT NULL,
    rules INTEGER NOT NULL DEFAULT '1',
    options JSON NOT NULL,
    seat0 INTEGER NOT NULL REFERENCES player (id),
    seat1 INTEGER NOT NULL REFERENCES player (id),
    challenger INTEGER NOT NULL REFERENCES player (id),
    time VARCHAR,
    rated BOOLEAN NOT NULL DEFAULT false,
    free_undo BOOLEAN NOT NULL DEFAULT false,
    counted TIMESTAMPTZ,
    imported VARCHAR,
    begun_from INTEGER,
    begun_after INTEGER NOT NULL DEFAULT '0',
    tournament INTEGER,
    round INTEGER,
    reported TIMESTAMPTZ,
    level INTEGER,
    by_address BOOLEAN NOT NULL DEFAULT false,
    state VARCHAR NOT NULL,
    to_move INTEGER,
    plies INTEGER NOT NULL DEFAULT '0',
    shift INTEGER NOT NULL DEFAULT '0',
    part VARCHAR,
    offers JSON NOT NULL DEFAULT '{}',
    paused TIMESTAMPTZ,
    resumes TIMESTAMPTZ,
    clock JSON,
    due TIMESTAMPTZ,
    remind TIMESTAMPTZ,
    unreached TIMESTAMPTZ,
    shown INTEGER,
    muted0 BOOLEAN NOT NULL DEFAULT false,
    muted1 BOOLEAN NOT NULL DEFAULT false,
    noted0 BOOLEAN NOT NULL DEFAULT false,
    noted1 BOOLEAN NOT NULL DEFAULT false,
    rematch INTEGER,
    winner INTEGER,
    termination VARCHAR,
    termination_seat INTEGER,
    reason VARCHAR,
    created TIMESTAMPTZ NOT NULL,
    started TIMESTAMPTZ,
    ended TIMESTAMPTZ
);
CREATE INDEX ix_match_state ON match (state);
CREATE INDEX ix_match_seat0_to_move ON match (seat0, to_move);
CREATE INDEX ix_match_seat1_to_move ON match (seat1, to_move);
CREATE INDEX ix_match_challenger_state ON match (challenger, state);
CREATE INDEX ix_match_challenger_created ON match (challenger, created);
CREATE INDEX ix_match_due ON match (due) WHERE due IS NOT NULL;
CREATE INDEX ix_match_remind ON match (remind) WHERE remind IS NOT NULL;
CREATE INDEX ix_match_unreached ON match (unreached) WHERE unreached IS NOT NULL;
CREATE INDEX ix_match_counted ON match (game, counted) WHERE counted IS NOT NULL;
CREATE INDEX ix_match_resumes ON match (resumes) WHERE resumes IS NOT NULL;
CREATE INDEX ix_match_seat0_ended ON match (seat0, ended, id, game, winner, termination) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_seat1_ended ON match (seat1, ended, id, game, winner, termination) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_pair_ended ON match (seat0, seat1, ended, id, winner, termination) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_unreported ON match (tournament)
    WHERE tournament IS NOT NULL AND ended IS NOT NULL AND reported IS NULL;
CREATE INDEX ix_match_ended ON match (ended, id) WHERE termination IS NOT NULL AND level IS NULL;
CREATE INDEX ix_match_unseen ON match (shown) WHERE shown IS NOT NULL AND (shown <> plies + shift OR ended IS NOT NULL);
CREATE INDEX ix_match_seat0_finished ON match (seat0, ended, id, termination, termination_seat, level, imported)
    WHERE termination IS NOT NULL AND level IS NULL AND imported IS NULL;
CREATE INDEX ix_match_seat1_finished ON match (seat1, ended, id, termination, termination_seat, level, imported)
    WHERE termination IS NOT NULL AND level IS NULL AND imported IS NULL;
CREATE UNIQUE INDEX ix_match_imported ON match (imported) WHERE imported IS NOT NULL;
CREATE INDEX ix_match_over ON match (ended, id) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_game_over ON match (game, ended, id) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_tournament ON match (tournament) WHERE tournament IS NOT NULL;

CREATE TABLE ply (
    id SERIAL PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match (id),
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    incoming INTEGER REFERENCES incoming (id),
    played TIMESTAMPTZ NOT NULL,
    UNIQUE (match, number)
);
CREATE INDEX ix_ply_match ON ply (match);

CREATE TABLE takenback (
    id SERIAL PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match (id),
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    shift INTEGER NOT NULL,
    incoming INTEGER REFERENCES incoming (id),
    played TIMESTAMPTZ NOT NULL,
    taken_back TIMESTAMPTZ NOT NULL
);
CREATE INDEX ix_takenback_match_shift ON takenback (match, shift);

CREATE TABLE prepared (
    match INTEGER NOT NULL REFERENCES match (id),
    seat INTEGER NOT NULL,
    version INTEGER NOT NULL,
    lines JSON NOT NULL,
    incoming INTEGER REFERENCES incoming (id),
    PRIMARY KEY (match, seat)
);

CREATE TABLE clockevent (
    id SERIAL PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match (id),
    kind VARCHAR NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    since TIMESTAMPTZ,
    until TIMESTAMPTZ,
    seat INTEGER,
    days JSON,
    taken INTEGER
);
CREATE INDEX ix_clockevent_match ON clockevent (match);

-- Messages sent

CREATE TABLE outgoing (
    id SERIAL PRIMARY KEY,
    message_id VARCHAR NOT NULL UNIQUE,
    template VARCHAR NOT NULL,
    plies JSON,
    match INTEGER REFERENCES match (id),
    ply INTEGER NOT NULL,
    shift INTEGER NOT NULL DEFAULT '0',
    player INTEGER REFERENCES player (id),
    epoch INTEGER NOT NULL,
    purpose VARCHAR,
    token_subject INTEGER NOT NULL,
    address VARCHAR NOT NULL,
    stranger_domain VARCHAR,
    standing VARCHAR,
    gist VARCHAR,
    incoming INTEGER REFERENCES incoming (id),
    in_reply_to VARCHAR,
    "references" JSON NOT NULL,
    is_notice BOOLEAN NOT NULL DEFAULT false,
    proposal VARCHAR,
    settled TIMESTAMPTZ,
    merged_into INTEGER REFERENCES outgoing (id),
    state VARCHAR NOT NULL,
    attempts INTEGER NOT NULL,
    due TIMESTAMPTZ NOT NULL,
    error VARCHAR,
    created TIMESTAMPTZ NOT NULL,
    retried TIMESTAMPTZ,
    sent TIMESTAMPTZ,
    troubled TIMESTAMPTZ,
    removed TIMESTAMPTZ,
    lane INTEGER NOT NULL DEFAULT '0',
    "group" VARCHAR,
    round INTEGER NOT NULL DEFAULT '0',
    leased_until TIMESTAMPTZ,
    holder VARCHAR
);
CREATE INDEX ix_outgoing_incoming ON outgoing (incoming);
CREATE INDEX ix_outgoing_state ON outgoing (state);
CREATE INDEX ix_outgoing_address_created ON outgoing (address, created);
CREATE INDEX ix_outgoing_player_created ON outgoing (player, created);
CREATE INDEX ix_outgoing_stranger_domain_created ON outgoing (stranger_domain, created);
CREATE INDEX ix_outgoing_state_due ON outgoing (state, due) WHERE removed IS NULL;
CREATE INDEX ix_outgoing_troubled ON outgoing (troubled) WHERE troubled IS NOT NULL;
CREATE INDEX ix_outgoing_answered ON outgoing (address, standing, created) WHERE standing IS NOT NULL;
CREATE INDEX ix_outgoing_answered_strangers ON outgoing (standing, created) WHERE stranger_domain IS NOT NULL;
CREATE INDEX ix_outgoing_gist ON outgoing (address, gist, created) WHERE gist IS NOT NULL;
CREATE INDEX ix_outgoing_match_created ON outgoing (match, created);
CREATE INDEX ix_outgoing_waiting ON outgoing (lane, round, id) WHERE state = 'owed';
CREATE INDEX ix_outgoing_group ON outgoing ("group") WHERE state = 'owed';

CREATE TABLE outgoingcontent (
    outgoing INTEGER NOT NULL PRIMARY KEY REFERENCES outgoing (id),
    payload JSON NOT NULL,
    facts JSON
);

CREATE TABLE mention (
    outgoing INTEGER NOT NULL REFERENCES outgoing (id),
    player INTEGER NOT NULL REFERENCES player (id),
    PRIMARY KEY (outgoing, player)
);
CREATE INDEX ix_mention_player ON mention (player);

-- Days off

CREATE TABLE calendar (
    id SERIAL PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES player (id),
    chosen TIMESTAMPTZ NOT NULL,
    begins TIMESTAMPTZ,
    zone VARCHAR NOT NULL,
    days VARCHAR NOT NULL
);
CREATE INDEX ix_calendar_player_id ON calendar (player, id);

CREATE TABLE vacation (
    id SERIAL PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES player (id),
    chosen TIMESTAMPTZ NOT NULL,
    begins TIMESTAMPTZ NOT NULL,
    ends TIMESTAMPTZ NOT NULL,
    changes INTEGER NOT NULL DEFAULT '0',
    told TIMESTAMPTZ
);
CREATE INDEX ix_vacation_player ON vacation (player);
CREATE INDEX ix_vacation_untold ON vacation (begins) WHERE told IS NULL;

-- Tournaments

CREATE TABLE tournament (
    id SERIAL PRIMARY KEY,
    title VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    game VARCHAR NOT NULL,
    options JSON NOT NULL,
    time VARCHAR NOT NULL,
    rated BOOLEAN NOT NULL DEFAULT false,
    places INTEGER NOT NULL,
    wanted_rounds INTEGER,
    rounds INTEGER,
    at_once INTEGER,
    reach INTEGER,
    previous INTEGER,
    season INTEGER NOT NULL DEFAULT '1',
    every VARCHAR,
    entry_days INTEGER,
    reopens TIMESTAMPTZ,
    host INTEGER REFERENCES player (id),
    closes TIMESTAMPTZ NOT NULL,
    created TIMESTAMPTZ NOT NULL,
    started TIMESTAMPTZ,
    ended TIMESTAMPTZ,
    told INTEGER
);
CREATE INDEX ix_tournament_closes ON tournament (closes) WHERE started IS NULL AND ended IS NULL;
CREATE INDEX ix_tournament_host ON tournament (host);
CREATE INDEX ix_tournament_told ON tournament (told) WHERE told IS NOT NULL;
CREATE UNIQUE INDEX ix_tournament_previous ON tournament (previous);
CREATE INDEX ix_tournament_reopens ON tournament (reopens) WHERE reopens IS NOT NULL;

CREATE TABLE entry (
    tournament INTEGER NOT NULL REFERENCES tournament (id),
    player INTEGER NOT NULL REFERENCES player (id),
    entered TIMESTAMPTZ NOT NULL,
    withdrawn TIMESTAMPTZ,
    seed INTEGER,
    rung INTEGER,
    PRIMARY KEY (tournament, player)
);
CREATE INDEX ix_entry_player ON entry (player);
CREATE INDEX ix_entry_rung ON entry (tournament, rung) WHERE rung IS NOT NULL;
CREATE INDEX ix_entry_gone ON entry (withdrawn) WHERE rung IS NOT NULL AND withdrawn IS NOT NULL;

CREATE TABLE pairing (
    id SERIAL PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournament (id),
    round INTEGER NOT NULL,
    board INTEGER NOT NULL,
    game INTEGER NOT NULL,
    first INTEGER NOT NULL REFERENCES player (id),
    second INTEGER REFERENCES player (id),
    match INTEGER UNIQUE REFERENCES match (id),
    result VARCHAR,
    UNIQUE (tournament, round, game, board),
    UNIQUE (tournament, round, game, first),
    UNIQUE (tournament, round, game, second)
);

-- Finding and following others

CREATE TABLE seek (
    id SERIAL PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES player (id),
    game VARCHAR NOT NULL,
    options JSON NOT NULL,
    time VARCHAR,
    begin VARCHAR NOT NULL,
    rated BOOLEAN NOT NULL,
    free_undo BOOLEAN NOT NULL DEFAULT false,
    lowest INTEGER NOT NULL DEFAULT '0',
    highest INTEGER NOT NULL DEFAULT '4000',
    reliable BOOLEAN NOT NULL DEFAULT false,
    repeat INTEGER NOT NULL,
    created TIMESTAMPTZ NOT NULL,
    expires TIMESTAMPTZ NOT NULL,
    closed TIMESTAMPTZ
);
CREATE INDEX ix_seek_player_created ON seek (player, created);
CREATE INDEX ix_seek_expires ON seek (expires, id) WHERE closed IS NULL;
CREATE INDEX ix_seek_player ON seek (player) WHERE closed IS NULL;

CREATE TABLE block (
    player INTEGER NOT NULL REFERENCES player (id),
    blocked INTEGER NOT NULL REFERENCES player (id),
    created TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (player, blocked)
);
CREATE INDEX ix_block_blocked ON block (blocked);

CREATE TABLE blockedaddress (
    player INTEGER NOT NULL REFERENCES player (id),
    address VARCHAR NOT NULL,
    created TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (player, address)
);
CREATE INDEX ix_blockedaddress_address ON blockedaddress (address);

CREATE TABLE presence (
    player INTEGER NOT NULL PRIMARY KEY REFERENCES player (id),
    seen TIMESTAMPTZ NOT NULL,
    listed TIMESTAMPTZ
);
CREATE INDEX ix_presence_seen ON presence (seen, player) WHERE listed IS NOT NULL;

CREATE TABLE watch (
    player INTEGER NOT NULL REFERENCES player (id),
    match INTEGER NOT NULL REFERENCES match (id),
    created TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (player, match)
);
CREATE INDEX ix_watch_match ON watch (match);

-- Ratings

CREATE TABLE ratedweek (
    game VARCHAR NOT NULL,
    week DATE NOT NULL,
    PRIMARY KEY (game, week)
);

CREATE TABLE playerrating (
    id SERIAL PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES player (id),
    game VARCHAR NOT NULL,
    week DATE NOT NULL,
    rating FLOAT NOT NULL,
    deviation FLOAT NOT NULL,
    volatility FLOAT NOT NULL,
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    superseded DATE,
    UNIQUE (player, game, week)
);
CREATE INDEX ix_playerrating_standings ON playerrating (game, rating DESC, player) WHERE superseded IS NULL;
CREATE INDEX ix_playerrating_game_week ON playerrating (game, week);

-- Searches of the house opponent, and analyses

CREATE TABLE search (
    id SERIAL PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match (id),
    kind VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    player INTEGER NOT NULL REFERENCES player (id),
    asked TIMESTAMPTZ NOT NULL,
    attempts INTEGER NOT NULL,
    due TIMESTAMPTZ NOT NULL,
    done TIMESTAMPTZ,
    value FLOAT,
    troubled TIMESTAMPTZ,
    leased_until TIMESTAMPTZ,
    holder VARCHAR,
    UNIQUE (match, kind, version)
);
CREATE INDEX ix_search_player_kind_asked ON search (player, kind, asked);
CREATE INDEX ix_search_troubled ON search (troubled) WHERE troubled IS NOT NULL;

CREATE TABLE analysis (
    id SERIAL PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match (id),
    player INTEGER NOT NULL REFERENCES player (id),
    asked TIMESTAMPTZ NOT NULL,
    findings JSON NOT NULL DEFAULT '[]',
    attempts INTEGER NOT NULL,
    due TIMESTAMPTZ NOT NULL,
    done TIMESTAMPTZ,
    troubled TIMESTAMPTZ,
    leased_until TIMESTAMPTZ,
    holder VARCHAR,
    UNIQUE (match, player)
);
CREATE INDEX ix_analysis_player_asked ON analysis (player, asked);
CREATE INDEX ix_analysis_due ON analysis (due, id) WHERE done IS NULL;
CREATE INDEX ix_analysis_troubled ON analysis (troubled) WHERE troubled IS NOT NULL;

-- Moderation

CREATE TABLE moderationact (
    id SERIAL PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL,
    actor VARCHAR NOT NULL,
    act VARCHAR NOT NULL,
    player INTEGER REFERENCES player (id),
    match INTEGER REFERENCES match (id),
    former_name VARCHAR,
    note VARCHAR NOT NULL
);
CREATE INDEX ix_moderationact_player ON moderationact (player) WHERE player IS NOT NULL;
CREATE INDEX ix_moderationact_former_name ON moderationact (former_name) WHERE former_name IS NOT NULL;

CREATE TABLE closedaddress (
    address VARCHAR NOT NULL PRIMARY KEY,
    closed TIMESTAMPTZ NOT NULL
);

CREATE TABLE announcement (
    id SERIAL PRIMARY KEY,
    subject VARCHAR NOT NULL,
    lines JSON NOT NULL,
    told INTEGER NOT NULL,
    last INTEGER NOT NULL,
    number INTEGER NOT NULL,
    due TIMESTAMPTZ,
    created TIMESTAMPTZ NOT NULL
);
CREATE INDEX ix_announcement_due ON announcement (due) WHERE due IS NOT NULL;

-- The server itself

CREATE TABLE serverkey (
    id SERIAL PRIMARY KEY,
    fingerprint VARCHAR NOT NULL
);

CREATE TABLE daemon (
    id SERIAL PRIMARY KEY,
    host VARCHAR NOT NULL,
    process INTEGER NOT NULL,
    version VARCHAR NOT NULL,
    started TIMESTAMPTZ NOT NULL,
    told TIMESTAMPTZ NOT NULL,
    state JSON NOT NULL,
    UNIQUE (host, process)
);

CREATE TABLE clock (
    id SERIAL PRIMARY KEY,
    beat TIMESTAMPTZ
);

CREATE TABLE outage (
    id SERIAL PRIMARY KEY,
    since TIMESTAMPTZ NOT NULL,
    until TIMESTAMPTZ NOT NULL
);
CREATE INDEX ix_outage_until ON outage (until);

CREATE TABLE setback (
    doing VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    since TIMESTAMPTZ NOT NULL,
    due TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (doing, number)
);
