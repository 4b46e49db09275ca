CREATE INDEX ix_match_over ON match (ended, id) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_game_over ON match (game, ended, id) WHERE termination IS NOT NULL;
CREATE INDEX ix_match_tournament ON match (tournament) WHERE tournament IS NOT NULL;
