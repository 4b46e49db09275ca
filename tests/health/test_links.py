"""A connection that is lost is logged once, and once more when it is back, however often it was tried meanwhile."""

import time

from structlog.testing import capture_logs

from pbem.process_vitals import Link, Vitals
from pbem.server import figures
from tests.health.conftest import Monotonic


def link(monotonic: Monotonic) -> Link:
    return Link("imap", lost="lost", again="again", monotonic=monotonic)


def test_each_loss_and_each_recovery_is_logged_once_with_how_long_it_took(monotonic: Monotonic) -> None:
    one = link(monotonic)
    with capture_logs() as logs:
        one.works()
        for _ in range(2):
            for _ in range(5):
                one.fails("mailbox", "refused")
                monotonic.now += 60
            assert (one.is_up, one.lost_for) == (False, 300)
            for _ in range(5):
                one.works()
        assert (one.is_up, one.lost_for) == (True, 0)
    loss = {"event": "lost", "link": "imap", "lost": "mailbox", "error": "refused", "log_level": "warning"}
    back = {"event": "again", "link": "imap", "lost": "mailbox", "seconds": 300.0, "log_level": "info"}
    assert logs == [loss, back, loss, back]


def test_another_reason_is_told_as_an_error_a_minute_later_at_the_earliest(monotonic: Monotonic) -> None:
    one = link(monotonic)
    with capture_logs() as logs:
        for error in ("closed", "refused", "refused", "refused", "no route", "no route"):
            one.fails("mailbox", error)
            monotonic.now += 25
    told = [(log["log_level"], log["error"], log.get("seconds")) for log in logs]
    assert told == [("warning", "closed", None), ("error", "refused", 75.0)]


def test_of_several_threads_the_first_loses_it_and_the_last_has_it_back(monotonic: Monotonic) -> None:
    one = link(monotonic)
    with capture_logs() as logs:
        one.fails("database", "gone", "work 1")
        one.fails("database", "gone", "send")
        one.works("work 1")
        one.works("work 2")  # which hadn't failed
        assert one.is_up is False
        monotonic.now += 7
        one.works("send")
    assert [(log["event"], log.get("seconds")) for log in logs] == [("lost", None), ("again", 7.0)]


def test_a_server_is_ready_as_soon_as_each_mailbox_was_reached_also_after_failures(monotonic: Monotonic) -> None:
    vitals = Vitals(monotonic)
    at_once, late = vitals.mailbox("imap"), vitals.mailbox("maildir")
    vitals.is_open = True
    assert at_once.is_up is None
    at_once.connected()
    late.fails("mailbox", "refused")
    late.connected()  # the login succeeded, but what failed before has not yet
    assert not vitals.is_ready
    late.works()
    assert vitals.is_ready
    vitals.changed.clear()
    late.fails("mailbox", "refused")
    assert (vitals.is_ready, vitals.changed.is_set()) == (True, True)


def test_a_certificate_that_ends_within_three_days_is_a_problem(monotonic: Monotonic) -> None:
    vitals = Vitals(monotonic)
    for days, is_told in ((4, False), (2, True)):
        vitals.outbox.certificate_ends = lambda days=days: time.time() + days * 86400
        sentences = list(figures.problems(figures.of_server(vitals)))
        assert is_told == any(each.startswith("the certificate of outbox ends ") for each in sentences)
