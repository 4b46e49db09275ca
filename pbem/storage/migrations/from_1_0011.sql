-- From the tables of revision 1.0011 to those of 1.0020; from_1_0011.py changes what is in JSON before and after.

-- Messages that no template tells any more aren't sent, and a question about merging accounts is closed.
UPDATE outgoing SET state = 'dropped', troubled = NULL
WHERE state IN ('batched', 'paused', 'waiting', 'suspended', 'owed', 'failed') AND (
    template IN ('claim', 'merged')
    OR player IN (SELECT id FROM player WHERE merged_into IS NOT NULL AND deleted IS NULL)
    OR id IN (SELECT outgoing FROM outgoingcontent WHERE CAST(payload AS TEXT) LIKE '%{"act": "merge"%')
    OR template = 'turn' AND id IN (
        SELECT outgoing FROM outgoingcontent
        WHERE CAST(payload AS TEXT) LIKE '%"stopped": true%' OR CAST(payload AS TEXT) LIKE '%"went_on": true%')
    OR template = 'tournament_over' AND id IN (
        SELECT outgoing FROM outgoingcontent WHERE CAST(payload AS TEXT) LIKE '%"kind": "team-match"%')
);
UPDATE incoming SET state = 'done', verdict = 'not confirmed in time'
WHERE state = 'held' AND id IN (
    SELECT outgoing.incoming FROM outgoing JOIN outgoingcontent ON outgoingcontent.outgoing = outgoing.id
    WHERE template = 'confirm' AND CAST(payload AS TEXT) LIKE '%{"act": "merge"%');

-- An account that was merged into another one is like that of a player who has left. It has matches against the kept
-- one only.
DELETE FROM calendar WHERE player IN (SELECT id FROM player WHERE merged_into IS NOT NULL AND deleted IS NULL);
DELETE FROM analysis WHERE player IN (SELECT id FROM player WHERE merged_into IS NOT NULL AND deleted IS NULL);
DELETE FROM note WHERE EXISTS (
    SELECT 1 FROM match JOIN player ON player.id = CASE note.seat WHEN 0 THEN match.seat0 ELSE match.seat1 END
    WHERE match.id = note.match AND merged_into IS NOT NULL AND deleted IS NULL);
UPDATE match SET noted0 = false
WHERE seat0 IN (SELECT id FROM player WHERE merged_into IS NOT NULL AND deleted IS NULL);
UPDATE match SET noted1 = false
WHERE seat1 IN (SELECT id FROM player WHERE merged_into IS NOT NULL AND deleted IS NULL);
INSERT INTO departure (player, name, addresses, digest, "left")
SELECT id, name, '[]', '', CURRENT_TIMESTAMP FROM player WHERE merged_into IS NOT NULL AND deleted IS NULL;
UPDATE player SET name = 'deleted-' || id, address = 'deleted-' || id, settings = '{}', deleted = CURRENT_TIMESTAMP,
    epoch = epoch + 65
WHERE merged_into IS NOT NULL AND deleted IS NULL;

-- A team match is a Swiss that is over: its running matches go on as ordinary ones.
DELETE FROM pairing WHERE tournament IN (SELECT id FROM tournament WHERE kind = 'team-match') AND (
    match IN (SELECT id FROM match WHERE ended IS NULL) OR match IS NULL AND result IS NULL);
UPDATE match SET tournament = NULL, round = NULL
WHERE ended IS NULL AND tournament IN (SELECT id FROM tournament WHERE kind = 'team-match');
UPDATE match SET reported = ended
WHERE reported IS NULL AND tournament IN (SELECT id FROM tournament WHERE kind = 'team-match');
UPDATE tournament SET ended = CURRENT_TIMESTAMP, told = NULL WHERE kind = 'team-match' AND ended IS NULL;
UPDATE tournament SET kind = 'swiss', every = NULL, reopens = NULL WHERE kind = 'team-match';

-- Of the server's keys, only the one in use is known. No game is suspended.
DELETE FROM serverkey WHERE until IS NOT NULL;
DELETE FROM setback WHERE doing LIKE 'game %';

CREATE TABLE knownaddress (
    player INTEGER NOT NULL REFERENCES player (id),
    address VARCHAR NOT NULL,
    since TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (player, address)
);
ALTER TABLE player ADD COLUMN complained TIMESTAMPTZ;
CREATE INDEX ix_player_complained ON player (complained) WHERE complained IS NOT NULL;
DROP TABLE claim;
DROP INDEX ix_player_merged_into;
DROP INDEX ix_match_missing;
ALTER TABLE player DROP COLUMN merged_into;
ALTER TABLE match DROP COLUMN missing;
ALTER TABLE match DROP COLUMN proofs;
ALTER TABLE entry DROP COLUMN rating;
ALTER TABLE serverkey DROP COLUMN public;
ALTER TABLE serverkey DROP COLUMN since;
ALTER TABLE serverkey DROP COLUMN until;
ALTER TABLE clock DROP COLUMN seen;
ALTER TABLE clock DROP COLUMN steady_since;
