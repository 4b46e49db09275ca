-- From the tables of revision 1.0020 to those of 0001.

-- Lists of matches on the site are read from the database.
CREATE INDEX ix_match_over ON match (ended, id) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_game_over ON match (game, ended, id) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_tournament ON match (tournament) WHERE tournament IS NOT NULL;

-- The bulletin is gone: those that wait aren't sent.
UPDATE outgoing SET state = 'dropped', troubled = NULL
WHERE state IN ('batched', 'paused', 'waiting', 'suspended', 'owed', 'failed') AND template = 'bulletin';
DROP TABLE bulletin;

-- Players watch matches, not players or tournaments any more: of those, the matches that are being played.
CREATE TABLE watching (
    player INTEGER NOT NULL REFERENCES player (id),
    match INTEGER NOT NULL REFERENCES match (id),
    created TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (player, match)
);
INSERT INTO watching
SELECT watch.player, match.id, min(watch.created) FROM watch JOIN match ON match.to_move IS NOT NULL AND (
    match.id = watch.match OR watch.whom IN (match.seat0, match.seat1) OR match.tournament = watch.tournament)
WHERE watch.player NOT IN (match.seat0, match.seat1) AND NOT EXISTS (
    SELECT 1 FROM watch AS other WHERE other.player = watch.player AND other.match = match.id AND other.left_out)
GROUP BY watch.player, match.id;
DROP TABLE watch;
ALTER TABLE watching RENAME TO watch;
CREATE INDEX ix_watch_match ON watch (match);
UPDATE match SET shown = NULL WHERE shown = -1;
UPDATE match SET shown = plies + shift WHERE shown IS NULL AND id IN (SELECT match FROM watch);

-- Each group of a league is a round robin, an open season is a Swiss, and ladders keep only their rungs.
DROP TABLE ladderstep;

-- Nobody is paired yet in a season that is open: it has more places than a round robin can have, unless its host chose.
UPDATE tournament SET kind = CASE WHEN places > 10 THEN 'swiss' ELSE 'round-robin' END,
    at_once = CASE WHEN places > 10 THEN NULL ELSE at_once END
WHERE kind = 'league' AND started IS NULL;

-- Who is in which group, and by what seed: groups follow from the seeds, and the first ones are larger by one at most.
CREATE TABLE leaguegroup AS
SELECT tournament, player, part, row_number() OVER (PARTITION BY tournament, part ORDER BY place) AS seed FROM (
    SELECT tournament, player, place, 1 + CASE
        WHEN place <= players % parts * (players / parts + 1) THEN (place - 1) / (players / parts + 1)
        ELSE (place - 1 - players % parts) / (players / parts) END AS part
    FROM (
        SELECT tournament, player, place, players, (players + size - 1) / size AS parts FROM (
            SELECT entry.tournament, entry.player, count(*) OVER (PARTITION BY entry.tournament) AS players,
                row_number() OVER (PARTITION BY entry.tournament ORDER BY entry.seed) AS place,
                COALESCE(tournament.group_size, count(*) OVER (PARTITION BY entry.tournament)) AS size
            FROM entry JOIN tournament ON tournament.id = entry.tournament
            WHERE tournament.kind = 'league' AND tournament.started IS NOT NULL AND entry.seed IS NOT NULL
        ) AS sized
    ) AS counted
) AS placed;

-- Of the tournaments that the other groups become, these two columns say for now whose group each is, and which.
UPDATE tournament SET group_size = NULL, promoted = NULL;
INSERT INTO tournament (id, title, kind, game, options, time, rated, places, at_once, closes, created, started, ended,
    told, group_size, promoted)
SELECT (SELECT max(id) FROM tournament) + row_number() OVER (ORDER BY tournament.id, part),
    tournament.title || ', group ' || part, 'league', game, options, time, rated, places, at_once, closes, created,
    started, ended, told, part, tournament.id
FROM tournament JOIN (SELECT DISTINCT leaguegroup.tournament, part FROM leaguegroup WHERE part > 1) AS others
    ON others.tournament = tournament.id;
UPDATE tournament SET title = title || ', group 1' WHERE id IN (SELECT promoted FROM tournament);
UPDATE pairing SET tournament = COALESCE((
    SELECT tournament.id FROM tournament JOIN leaguegroup ON promoted = leaguegroup.tournament AND group_size = part
    WHERE leaguegroup.tournament = pairing.tournament AND leaguegroup.player = pairing.first), tournament);
UPDATE match SET tournament = COALESCE((
    SELECT tournament.id FROM tournament JOIN leaguegroup ON promoted = leaguegroup.tournament AND group_size = part
    WHERE leaguegroup.tournament = match.tournament AND leaguegroup.player = match.seat0), tournament)
WHERE tournament IS NOT NULL;
UPDATE entry SET
    seed = (SELECT leaguegroup.seed FROM leaguegroup
        WHERE leaguegroup.tournament = entry.tournament AND leaguegroup.player = entry.player),
    tournament = COALESCE((
        SELECT tournament.id FROM tournament JOIN leaguegroup ON promoted = leaguegroup.tournament AND group_size = part
        WHERE leaguegroup.tournament = entry.tournament AND leaguegroup.player = entry.player), tournament)
WHERE EXISTS (SELECT 1 FROM leaguegroup
    WHERE leaguegroup.tournament = entry.tournament AND leaguegroup.player = entry.player);
UPDATE tournament SET kind = 'round-robin', rounds = (
    SELECT count(*) - 1 + count(*) % 2 FROM entry WHERE entry.tournament = tournament.id AND entry.seed IS NOT NULL)
WHERE kind = 'league';

DROP TABLE leaguegroup;
ALTER TABLE tournament DROP COLUMN group_size;
ALTER TABLE tournament DROP COLUMN promoted;

-- The records of all matches of a player are part of the export of their data.
UPDATE outgoing SET state = 'dropped', troubled = NULL
WHERE state IN ('batched', 'paused', 'waiting', 'suspended', 'owed', 'failed') AND template = 'records';

-- No vacation begins by itself: those that have begun so go on, and their players aren't told of them any more.
UPDATE outgoing SET state = 'dropped', troubled = NULL
WHERE state IN ('batched', 'paused', 'waiting', 'suspended', 'owed', 'failed') AND template = 'away' AND id IN (
    SELECT outgoing FROM outgoingcontent WHERE CAST(payload AS TEXT) LIKE '%"is_own": true%');
ALTER TABLE vacation DROP COLUMN automatic;

-- The folder says which backups there are.
DROP TABLE backup;
