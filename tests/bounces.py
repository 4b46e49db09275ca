"""Bounces of a message as various mail servers write them, for tests."""

from collections.abc import Callable
from email.message import EmailMessage

from tests.correspondence import Correspondence


def dsn(mail: EmailMessage, status: str = "5.1.1", action: str = "failed", *, whole: bool = True) -> bytes:
    """Return a bounce in the format of RFC 3464: Postfix, Exchange and most others."""
    returned = mail.as_string() if whole else _head(mail)
    return f"""\
Return-Path: <>
From: MAILER-DAEMON@mail.example (Mail Delivery System)
To: {_back_to(mail)}
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host mail.example.
<{mail["To"]}>: host mx.mail.example said: 550 {status} no such user

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example

Final-Recipient: rfc822; {mail["To"]}
Original-Recipient: rfc822;{mail["To"]}
Action: {action}
Status: {status}

--b1
Content-Type: {"message/rfc822" if whole else "text/rfc822-headers"}

{returned}

--b1--
""".encode()


def qmail(mail: EmailMessage) -> bytes:
    """Return a bounce in the format of qmail and its descendants."""
    return f"""\
From: MAILER-DAEMON@mail.example
To: {_back_to(mail)}
Subject: failure notice

Hi. This is the qmail-send program at mail.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{mail["To"]}>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

{mail.as_string()}
""".encode()


def made_of(mail: EmailMessage, lines: list[str]) -> bytes:
    """Return a bounce with these lines: From, what it says, and the fields of its delivery report, if any."""
    fields = [line for line in lines if line.startswith(("Action: ", "Status: ", "Diagnostic-Code: "))]
    sender = lines.pop(0) if lines[0].startswith("From: ") else "From: MAILER-DAEMON@mail.example"
    words = "\n".join(line for line in lines if line not in fields)
    head = f"{sender}\nTo: {_back_to(mail)}\nSubject: Returned mail\nMIME-Version: 1.0\n"
    if not fields:
        copy = f"------ This is a copy of the message. ------\n\n{mail.as_string()}"
        return f"{head}Content-Type: text/plain; charset=utf-8\n\n{words}\n\n{copy}".encode()
    if not fields[0].startswith("Action: "):
        fields.insert(0, "Action: failed")
    recipient = "\n".join([f"Final-Recipient: rfc822; {mail['To']}", *fields])
    return f"""\
{head}Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Type: text/plain; charset=utf-8

{words}

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example

{recipient}

--b1
Content-Type: message/rfc822

{mail.as_string()}

--b1--
""".encode()


def unheard_of(mail: EmailMessage) -> bytes:
    """Return a bounce that isn't marked as automatic and comes from an unusual address."""
    return f"""\
From: e500_smtp_mail_service@mail.example
To: {_back_to(mail)}
Subject: Returned Mail - Error During Delivery

   ----- The following addresses had permanent fatal errors -----
<{mail["To"]}>
    (reason: 550 User unknown)

   ----- Unsent message follows -----
{mail.as_string()}
""".encode()


def nobody_s(mail: EmailMessage) -> bytes:
    """Return a bounce without a sender."""
    return unheard_of(mail).replace(b"From: e500_smtp_mail_service@mail.example\n", b"")


def _back_to(mail: EmailMessage) -> str:
    """Return the envelope sender, where bounces go."""
    return str(mail.get("Return-Path", "games@pbem.example"))


def _head(mail: EmailMessage) -> str:
    return "".join(f"{name}: {value}\n" for name, value in mail.items())


KINDS: dict[str, Callable[[EmailMessage], bytes]] = {
    "DSN": dsn,
    "DSN with headers only": lambda mail: dsn(mail, whole=False),
    "qmail": qmail,
    "unheard of": unheard_of,
    "nobody's": nobody_s,
    "with a raw letter in From": lambda mail: qmail(mail).replace(b"From: MAILER", b"From: Syst\xe9me <MAILER", 1),
}


def bounce_for_good(letters: Correspondence, name: str) -> list[EmailMessage]:
    """Let the newest message to that player bounce until sending stops. Return what is sent last."""
    mail = letters.last(name)
    letters.deliver(dsn(letters.carried(mail)))
    (again,) = letters.wait(days=1, minutes=1)
    assert (again["Message-ID"], again["To"]) == (mail["Message-ID"], mail["To"])
    letters.deliver(b"Message-ID: <copy-2@mail.example>\n" + dsn(letters.carried(mail)))
    (again,) = letters.wait(days=3, minutes=1)
    assert again["To"] == mail["To"]
    return letters.deliver(b"Message-ID: <copy-3@mail.example>\n" + dsn(letters.carried(mail)))
