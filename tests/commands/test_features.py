"""What features add."""

from pbem.features.all import FEATURES


def test_a_feature_adds_what_only_it_names() -> None:
    """No two add the same command, setting or topic, so that one can go without another."""
    commands = [command for feature in FEATURES for those in feature.commands.values() for command in those]
    for kind in ("preferences", "topics", "due", "commands"):
        added = commands if kind == "commands" else [each for feature in FEATURES for each in getattr(feature, kind)]
        assert len(added) == len({getattr(each, "name", each) for each in added}), kind
