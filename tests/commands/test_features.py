"""What features add."""

from pbem.features.all import FEATURES


def test_a_feature_adds_what_only_it_names() -> None:
    """No two add the same command, setting or topic, so that one can go without another."""
    for kind in ("commands", "preferences", "topics", "due"):
        names = [added.name for feature in FEATURES for added in getattr(feature, kind)]
        assert len(names) == len(set(names)), kind
