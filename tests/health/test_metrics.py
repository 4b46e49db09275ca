"""What Prometheus can read: every metric is what it says, and what deploy/prometheus names exists."""

import json
import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from pbem.config import BackupSettings, MetricsSettings
from pbem.server import backups
from pbem.server.figures import Exposition
from pbem.server.metrics_port import MetricsPort
from tests.correspondence import Correspondence
from tests.docs.pages import ROOT, page
from tests.servers import GENEROUS, HOST

PROMETHEUS = ROOT / "deploy" / "prometheus"
NAME = re.compile(r"\b(?:pbem|process)_[a-z_]+\b")


def exposition(letters: Correspondence) -> Exposition:
    server = letters.server
    settings = server.settings.model_copy(update={"backup": BackupSettings(folder=letters.folder)})
    return Exposition(server.engine, server.vitals, letters.clock, settings)


def backed_up(letters: Correspondence) -> None:
    """Let a backup have been made just now."""
    (letters.folder / backups.name(letters.server.settings.server.address, letters.clock())).touch()


def samples(shown: Exposition) -> dict[tuple[str, ...], float]:
    """Return the value of each sample, by its name and labels, as Prometheus reads them."""
    families = text_string_to_metric_families(generate_latest(shown).decode())
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_what_happened_is_counted_and_what_waits_is_told(letters: Correspondence) -> None:
    letters.write("robot@mail.example", "help", Auto_Submitted="auto-generated")  # so that no scene is copied
    letters.match()
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.execute("update incoming set state = 'shunted' where id = 1")
    letters.execute("update outgoing set state = 'owed', sent = null, due = created where id = 1")
    letters.clock.advance(hours=1)
    backed_up(letters)
    told = samples(exposition(letters))
    assert told["pbem_mails_in_total", "", "done"] >= 3
    assert told["pbem_mails_in_total", "automatic", "unanswered"] == 1
    sent = told["pbem_mails_out_total", "sent"]
    assert sent >= 5
    assert told["pbem_sent_seconds_count",] == told["pbem_sent_seconds_bucket", "+Inf"] == sent
    assert told["pbem_handled_seconds_count",] == sum(
        number for name, number in told.items() if name[0] == "pbem_mails_in_total"
    )
    assert told["pbem_shunted",] == 1
    assert told["pbem_outgoing", "owed"] == 1
    assert told["pbem_outgoing_overdue_seconds",] >= 3600
    assert told["pbem_outgoing_seconds", "owed"] >= 3600
    assert told["pbem_received_waiting", "players"] == 0
    assert told["pbem_matches", "running"] == 1
    assert told["pbem_database_up",] == 1
    assert told["pbem_ready",] == 0, "nothing runs"
    assert told["pbem_backup_timestamp_seconds",] == letters.clock().replace(hour=0, minute=0).timestamp()
    assert told["process_resident_memory_bytes",] > 1e6


def test_a_database_that_fails_hides_nothing_else(letters: Correspondence) -> None:
    letters.execute("alter table incoming rename to lost")
    found = samples(exposition(letters))
    letters.execute("alter table lost rename to incoming")

    assert found["pbem_database_up",] == 0
    assert found["pbem_ready",] == 0
    assert ("pbem_shunted",) not in found


# deploy/prometheus


def known(letters: Correspondence) -> set[str]:
    """Return the names of all metrics that there can be."""
    vitals = letters.server.vitals
    vitals.mailbox("imap")
    vitals.pulse("send", 60)
    backed_up(letters)
    names = set()
    for family in text_string_to_metric_families(generate_latest(exposition(letters)).decode()):
        histogram = {f"{family.name}{end}" for end in ("_bucket", "_count", "_sum")}
        names |= histogram if family.type == "histogram" else {family.name}
        names |= {f"{family.name}_total"} if family.type == "counter" else set()
    return names


def expressions(what: Any) -> Iterator[str]:
    """Yield everything that is called `expr` in it."""
    if isinstance(what, dict):
        yield from (value for key, value in what.items() if key == "expr")
        for value in what.values():
            yield from expressions(value)
    elif isinstance(what, list):
        for value in what:
            yield from expressions(value)


@pytest.mark.parametrize("name", ["alerts.yml", "dashboard.json"])
def test_every_metric_that_prometheus_is_asked_for_exists(name: str, letters: Correspondence) -> None:
    text = (PROMETHEUS / name).read_text(encoding="utf-8")
    asked = list(expressions(json.loads(text) if name.endswith(".json") else yaml.safe_load(text)))
    assert len(asked) > 10
    for each in asked:
        assert each.count("(") == each.count(")"), each
        assert NAME.findall(each), each
    there_are = known(letters)
    assert {metric for each in asked for metric in NAME.findall(each)} <= there_are


def test_every_metric_is_documented(letters: Correspondence) -> None:
    documented = set(NAME.findall(page("docs/operating.md")))
    ours = {re.sub(r"_(bucket|count|sum)$", "", name) for name in known(letters) if name.startswith("pbem_")}
    counters = {name for name in ours if f"{name}_total" in ours}
    assert ours - counters - documented == set()


# The port


@pytest.fixture
def port(letters: Correspondence) -> Iterator[int]:
    """Serve the metrics on a port of this machine."""
    stop = threading.Event()
    served = MetricsPort(HOST, 0, exposition(letters))
    thread = threading.Thread(target=served.run, args=(stop,))
    thread.start()
    yield served.server_address[1]
    stop.set()
    thread.join(GENEROUS)


def get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}{path}", timeout=GENEROUS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_port_answers_two_questions_and_no_other(port: int, letters: Correspondence) -> None:
    status, text = get(port, "/metrics")
    assert status == 200
    assert "pbem_ready 0.0" in text
    assert get(port, "/")[0] == get(port, "/metrics/../etc/passwd")[0] == 404
    for request in (b"POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"\x16\x03\x01 nonsense\r\n\r\n"):
        with socket.create_connection((HOST, port), timeout=GENEROUS) as client:
            client.sendall(request)
            assert re.search(rb"HTTP/1\.0 (404|400) |Error code: 400", client.recv(9999))
    status, text = get(port, "/health")
    assert (status, json.loads(text)) == (503, {"healthy": False, "problems": ["not ready yet"]})
    letters.server.vitals.is_open = True
    assert get(port, "/health") == (200, '{"healthy": true, "problems": []}\n')
    letters.server.vitals.outbox.fails("next hop", "refused")
    assert json.loads(get(port, "/health")[1])["problems"] == ["outbox: sending interrupted: refused, for 0 seconds"]


def test_other_machines_are_let_in_on_purpose_only() -> None:
    assert MetricsSettings(port=9464).host == "127.0.0.1"
    with pytest.raises(ValueError, match="host"):
        MetricsSettings.model_validate({"port": 9464, "host": "0.0.0.0"})
    assert MetricsSettings(port=9464, exposed_on="0.0.0.0").host == "0.0.0.0"
