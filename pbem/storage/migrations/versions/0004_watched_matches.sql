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
