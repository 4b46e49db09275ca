"""What people write reaches others only as words: it can't become a header, markup, a log line or a command."""

import email
import email.policy
import io
import re
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import pytest
import structlog
from selectolax.lexbor import LexborHTMLParser

from pbem.cli import log_format
from pbem.config import LogSettings
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, text
from tests.operating.site import Site

pytestmark = scenes.after(scenes.two_turns)

ALICE, BOB = "alice@mail.example", "bob@mail.example"
NASTY = {
    "a header": "x\r\nBcc: eve@evil.example\r\n\r\nDear player",
    "a header, escaped": "x%0d%0aBcc: eve@evil.example",
    "zeros": "x\0\0y",
    "a terminal": "\x1b[2J\x1b]0;owned\x07\x9b31m\x1bc",
    "a turned line": "x\u202egnp.exe\u2066\u200f",
    "a template": "{{ 7*7 }}{% for x in ().__class__.__bases__ %}{{ x }}{% endfor %}{# #}",
    "a format": "%s%n%(name)s{0}{name!r}${HOME}",
    "markup": "</td></table><script>alert(1)</script><img src=x onerror=alert(1)>\"'><a href=javascript:x>",
    "rich": "[bold red]x[/][link=file:///etc/passwd]y[/link]",
    "a long line": "x" * 10_000,
    "separators of lines": "a\u2028Bcc: eve@evil.example\u2029b\x85c\x0bd\x0ce\x1df",
    "a boundary": "--=_0\nContent-Type: text/html\n\n<b>x</b>",
    "SQL": "x'); drop table player; --",
}
HEADERS = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def heads(mail: EmailMessage) -> list[str]:
    return [name.lower() for name in mail.keys()]  # noqa: SIM118 - a header may occur twice


@dataclass(frozen=True)
class Usual:
    """What ordinary messages contain."""

    headers: frozenset[str]
    tags: frozenset[str]

    def has_all_of(self, mail: EmailMessage) -> None:
        """Assert that the message contains only what an ordinary one does, except for its words."""
        raw = mail.as_bytes(policy=email.policy.SMTP)
        assert set(heads(mail)) <= self.headers
        assert len(heads(mail)) == len(set(heads(mail)))
        assert [field.decode().lower() for field in HEADERS.findall(raw.partition(b"\r\n\r\n")[0])] == heads(mail)
        assert max(map(len, raw.split(b"\r\n"))) <= 998
        assert {address.addr_spec for address in mail["To"].addresses} <= {ALICE, BOB}
        for part in mail.walk():
            if part.get_content_maintype() == "text":
                assert not STEERING.search(str(part.get_content()).replace("\r\n", "\n"))
        page = html_of(mail)
        assert tags_of(page) <= self.tags
        for node in page.css("*"):
            assert not any(name.startswith("on") for name in node.attributes)
            assert not (node.attributes.get("href") or "").startswith(("javascript", "file", "data"))


def html_of(mail: EmailMessage) -> LexborHTMLParser:
    html = mail.get_body(("html",))
    assert html is not None
    return LexborHTMLParser(str(html.get_content()))


def tags_of(page: LexborHTMLParser) -> set[str]:
    return {node.tag or "" for node in page.css("*")}


@pytest.fixture
def usual(letters: Correspondence) -> Usual:
    newest = letters.last("alice")
    letters.write(ALICE, "say Hello!", In_Reply_To="<x@y.example>")
    letters.reply(newest, "challenge bob quadraphages")
    for words in ("say Hello!\n\nrecord", "frobnicate 12", "help\nrules quadraphages\ngames", "b7d7 i2g2 9"):
        letters.reply(newest, words)
    mails = [mail for _, mail in letters.log if str(mail["From"]).endswith(f"<{ADDRESS}>")]
    tags = set().union(*(tags_of(html_of(mail)) for mail in mails if mail.get_body(("html",))))
    assert "script" not in tags
    headers = {name for mail in mails for name in heads(mail)}
    assert "bcc" not in headers
    return Usual(frozenset(headers), frozenset(tags))


def raw_mail(letters: Correspondence, words: str, subject: str = "", name: str = "Alice") -> bytes:
    """Return a message from alice whose Subject and display name are encoded words, which can contain anything."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    coded = [f"=?utf-8?q?{''.join(f'={byte:02X}' for byte in each.encode()[:1500])}?=" for each in (name, subject)]
    head = (
        f"From: {coded[0]} <{ALICE}>\nTo: {to}\nSubject: {coded[1]}\nMessage-ID: <{hash(words + subject)}@mail.example>"
    )
    body = f"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{words}\n"
    return f"{head}\n{body}".encode()


COMMANDS = [
    "{}",
    "#1 {}",
    "challenge bob quadraphages first={}",
    "set mail {}",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_refused_is_repeated_as_words(letters: Correspondence, usual: Usual, command: str) -> None:
    for nasty in NASTY.values():
        for mail in letters.deliver_unread(raw_mail(letters, command.replace("{}", nasty))):
            usual.has_all_of(mail)


def test_words_to_the_opponent_a_subject_and_a_name_are_words(letters: Correspondence, usual: Usual) -> None:
    told = {}
    for kind, nasty in NASTY.items():
        letters.clock.advance(minutes=6)  # notes of five minutes are one message
        sent = letters.deliver_unread(raw_mail(letters, f"say {nasty}", nasty))
        for mail in sent:
            usual.has_all_of(mail)
        told[kind] = " ".join(text(mail) for mail in sent if mail["To"] == BOB)

    assert all(told.values()), [kind for kind in told if not told[kind]]
    assert "{{ 7*7 }}" in told["a template"]
    assert "<script>alert(1)</script>" in told["markup"]
    assert "%s%n%(name)s{0}{name!r}${HOME}" in told["a format"]


def test_a_name_is_no_more_than_a_name(letters: Correspondence) -> None:
    for number, nasty in enumerate(NASTY.values()):
        head = f"From: eve{number}@evil.example\nTo: {ADDRESS}\nMessage-ID: <{number}@evil.example>"
        for mail in letters.deliver_unread(f"{head}\n\njoin {nasty}\n".encode()):
            letters.reply(mail, "yes")

    for name in letters.rows("select name from player where name is not null"):
        assert re.fullmatch(r"[a-z][a-z0-9._-]*", str(name)), name


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_log_line_is_one_line_whatever_mails_hold(letters: Correspondence, form: str) -> None:
    lines = io.StringIO()
    log_format.configure(LogSettings.model_validate({"format": form}), lines)
    for kind in NASTY:
        letters.deliver_unread(raw_mail(letters, f"say {NASTY[kind]}", NASTY[kind], NASTY[kind]))
    structlog.get_logger().info("mail in", error=NASTY["a header"], verdict=NASTY["a terminal"] + "\u2028x")

    found = lines.getvalue().split("\n")
    assert len(found) > 2 * len(NASTY)
    begins = re.compile(r"\d{4}-\d\d-\d\dT" if form == "console" else r"\{.*\}$")
    assert all(begins.match(line) for line in found if line)
    assert not STEERING.search(lines.getvalue().replace("\n", ""))
    assert "owned" in found[-2]
    assert "owned" not in "".join(found[:-2])


def test_nothing_of_a_mail_steers_the_operator_s_terminal(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    site.configure()
    site.pbem("init")
    raw = f"From: eve@evil.example\nTo: {ADDRESS}\nSubject: {NASTY['a terminal']}\n\n".encode()
    site.drop(raw + "".join(f"{words}\n" for words in NASTY.values()).encode() + b"\xff\x9b31m")
    assert site.run_once()[:2] == [1, 1]
    site.rows("update incoming set state = 'shunted', verdict = :words, error = :words", words=NASTY["a terminal"])
    site.rows(
        "insert into player (name, address, confirmed, epoch, settings, bounces, created)"
        " values ('eve', :address, '2026-01-01', 0, '{}', 1, '2026-01-01')",
        address=NASTY["a terminal"] + NASTY["a turned line"],
    )

    again = ["player", "bounced", "--again", NASTY["a terminal"]]
    asked = (
        ["show", "mail", "1"],
        ["show", "eve"],
        ["show", "eve@evil.example"],
        ["mail", "list"],
        ["player", "bounced"],
    )
    for words in (*asked, again):
        said = site.pbem(*words).said
        assert not STEERING.search(said.replace("\r\n", "\n")), words
        assert "owned" in said
    assert "[bold red]x[/]" in site.pbem("show", "mail", "1").out
