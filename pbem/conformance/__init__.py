"""The conformance kit: what holds for every game, as checks that the author of a game runs on theirs."""
