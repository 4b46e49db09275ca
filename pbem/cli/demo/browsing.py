"""The demonstration in a browser: the published site, and the mailbox of a player who is the person at the browser.

A script is added to each page. It catches links that would open a mail program, and opens a form here instead; what the
form sends is a real message by SMTP. All of this listens on the loopback address only, and answers no page but its own.
"""

import asyncio
import email
import email.policy
import re
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from http import HTTPStatus
from pathlib import Path
from socket import socket
from typing import Any, Self

from tornado.web import HTTPError, RequestHandler

from pbem.cli.demo import pages
from pbem.cli.demo.players import HOST, DemoPlayer, write
from pbem.messages.mime import text_of
from pbem.publishing import web_server
from pbem.publishing.pages import match_path
from pbem.publishing.web_server import PublishedFile

SCRIPT = Path(__file__).parent / "mailto.js"
LONGEST_MESSAGE = 64_000
"""Bytes of a form."""
OWN_PAGE = web_server.HEADERS["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'")
MESSAGE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'"
"""The policy for a message, whose styles are in its elements and whose pictures are put into it."""
PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/style.css"></head><body>
<main>
<p><a href="/index.html">The site</a></p>
<h1>{title}</h1>
{body}
</main></body></html>
"""
INBOX = """\
<p>Messages to {address}, the newest first. <a href="/mail/write?to={server}">Write to {server}</a></p>
<ol reversed>
{listed}
</ol>
"""
FORM = """\
{problem}
<form method="post" action="/mail/write">
<p><label>To<br><input name="to" size="30" value="{to}" required></label></p>
<p><label>Subject<br><input name="subject" size="30" value="{subject}"></label></p>
<p><label>Text<br><textarea name="body" rows="12" cols="72">{body}</textarea></label></p>
<p><button>Send</button></p>
</form>
"""
WAITING = """<p role="status">The message was sent. The answer takes a moment; this page leads on to it.</p>"""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The player who is the person at the browser, and where they are served."""

    player: DemoPlayer
    sockets: Sequence[socket]

    @classmethod
    def expected(cls, player: DemoPlayer) -> Self:
        """Listen on a free port; raise OSError."""
        return cls(player, web_server.bind(HOST, 0))

    @property
    def url(self) -> str:
        """Where the site is."""
        return web_server.url(self.sockets)

    def board(self, turn: EmailMessage) -> str:
        """Return the URL of the board to tap that a message about a turn links to; if there is none, of the match."""
        link = re.search(rf"{re.escape(self.url)}boards/\S+\.html", text_of(turn))
        return link[0] if link else f"{self.url}{match_path(int(turn['X-PBeM-Match']))}"


async def browse(site: Path, visitor: Visitor, server: str, port: int, stop: asyncio.Event | None = None) -> None:
    """Serve the site and the mailbox until stopped, or else until Ctrl-C; what is sent goes to that port."""
    told = {"player": visitor.player, "server": server, "port": port}
    handlers: tuple[Any, ...] = (
        (r"/mail/", Inbox, told),
        (r"/mail/([0-9]{1,6})", Message, told),
        (r"/mail/after/([0-9]{1,6})", Answer, told),
        (r"/mail/newest", Newest, told),
        (r"/mail/write", Writing, told),
        (r"/mail/mailto\.js", Script, told),
    )
    host = visitor.url.removeprefix("http://").rstrip("/")
    served = web_server.application(site, *handlers, file=CaughtFile, host=host)
    await web_server.run(served, visitor.sockets, stop, LONGEST_MESSAGE)


def with_script(page: bytes) -> bytes:
    """Return the page with the script that catches links for mail programs.

    >>> with_script(b"<html><head></head><body></body></html>")
    b'<html><head><script src="/mail/mailto.js" defer></script></head><body></body></html>'
    """
    return page.replace(b"</head>", b'<script src="/mail/mailto.js" defer></script></head>', 1)


class CaughtFile(PublishedFile):
    """A file of the site; a page has the script too."""

    def content(self, path: str) -> bytes:
        """Return what is in the file."""
        found = super().content(path)
        return with_script(found) if path.endswith(".html") else found


class MailPage(RequestHandler):
    """What all pages of the mailbox share: they are for a browser on this machine that was led here by ours."""

    def initialize(self, player: DemoPlayer, server: str, port: int) -> None:
        """Set what the page is about."""
        self.player, self.server, self.port = player, server, port

    def set_default_headers(self) -> None:
        """Set the headers of the site, except that forms can be sent, and that this server is told from where."""
        headers = {
            **web_server.HEADERS,
            "Content-Security-Policy": OWN_PAGE,
            "Referrer-Policy": "same-origin",
            "Cache-Control": "no-store",
        }
        for name, value in headers.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse whom another site has sent here: by its own name for this address, or with a form of its own."""
        host = self.settings["host"]
        if self.request.host != host:
            raise HTTPError(HTTPStatus.MISDIRECTED_REQUEST)
        if self.request.method == "POST" and self.request.headers.get("Origin") != f"http://{host}":
            raise HTTPError(HTTPStatus.FORBIDDEN)

    def mails(self) -> list[Path]:
        """Return the files with the messages, the oldest first."""
        return sorted(self.player.mailbox.glob("*.eml"), key=lambda path: int(path.stem))

    def show(self, title: str, body: str) -> None:
        """Answer with a page."""
        self.finish(with_script(PAGE.format(title=escape(title), body=body).encode()))


class Inbox(MailPage):
    """The list of the messages."""

    def get(self) -> None:
        """Answer with the list."""
        listed = [
            f'<li><a href="/mail/{number}">{escape(str(_read(path)["Subject"]))}</a></li>'
            for number, path in enumerate(self.mails(), start=1)
        ]
        names = {"address": escape(self.player.address), "server": escape(self.server)}
        self.show("Mailbox", INBOX.format(**names, listed="\n".join(reversed(listed))))


class Message(MailPage):
    """A message as a mail program shows it."""

    def get(self, number: str) -> None:
        """Answer with the HTML of the message, or with its text if there is none."""
        path = dict(enumerate(self.mails(), start=1)).get(int(number))
        if path is None:
            raise HTTPError(HTTPStatus.NOT_FOUND)
        mail = _read(path)
        page = pages.inlined(mail) or f"<html><head></head><body><pre>{escape(text_of(mail))}</pre></body></html>"
        self.set_header("Content-Security-Policy", MESSAGE)
        self.finish(with_script(page.encode()))


class Newest(MailPage):
    """The number of the newest message, for the script."""

    def get(self) -> None:
        """Answer with the number."""
        self.finish({"newest": len(self.mails())})


class Answer(MailPage):
    """Leads to the first message that came after others."""

    def get(self, known: str) -> None:
        """Lead to the newest message, once there are more than were known; until then the browser asks again."""
        newest = len(self.mails())
        if newest > int(known):
            self.redirect(f"/mail/{newest}")
        else:
            self.set_header("Refresh", "1")
            self.show("Waiting for the answer", WAITING)


class Writing(MailPage):
    """The form of a message."""

    def get(self) -> None:
        """Answer with the form, filled in as the link says."""
        self._ask("")

    async def post(self) -> None:
        """Send the message, and lead to the answer."""
        to, subject, body = self._written()
        known = len(self.mails())
        try:
            await asyncio.to_thread(write, self.port, self.player, to, subject, body)
        except (smtplib.SMTPException, OSError, ValueError) as error:
            self.set_status(HTTPStatus.BAD_REQUEST)
            self._ask(f'<p role="alert">This message can\'t be sent to {escape(to)}: {escape(str(error))}</p>')
        else:
            self.redirect(f"/mail/after/{known}", status=HTTPStatus.SEE_OTHER)

    def _written(self) -> tuple[str, str, str]:
        to, subject = (" ".join(self.get_argument(name, "").split()) for name in ("to", "subject"))
        return to, subject, self.get_argument("body", "", strip=False)

    def _ask(self, problem: str) -> None:
        to, subject, body = map(escape, self._written())
        self.show("Write a message", FORM.format(problem=problem, to=to, subject=subject, body=body))


class Script(MailPage):
    """The script that catches links for mail programs."""

    def get(self) -> None:
        """Answer with the script."""
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.finish(SCRIPT.read_bytes())


def _read(path: Path) -> EmailMessage:
    return email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
