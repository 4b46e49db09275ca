"""Bounces: whether a message reports that an address can never be reached.

flufl.bounce knows the reports of most mail servers, and whom they are about. It takes every failed delivery for
permanent, also if a mailbox is full; `bounce_reasons` knows what the servers' words and codes mean. A mail system's
message that the library doesn't know is a report if it says that the address is gone. Some of the library's detectors
take quadratic time, some fail; so it runs in a process that can be killed (see `isolated_parser`), and a message on
which it fails is no report.
"""

import email
import email.utils
import re
from collections.abc import Iterator
from email.message import Message
from email.policy import compat32

from pbem.mail.reading import bounce_reasons, limits
from pbem.mail.reading.bounce_reasons import Reason

LONGEST = 100_000
MOST_LINES = 2_000  # how much of a report is read: the failure comes first, then the message that failed
MOST_LINES_OF_WORDS = 400
MOST_FIELDS = 20
PASSED_ON = frozenset({"delayed", "delivered", "relayed", "expanded"})
_ABOUT = re.compile(r"\s*<([^\s<>@]+@[^\s<>@]+)>:")  # how a paragraph about one of several recipients begins
_TO = re.compile(r"^To:[ \t]*(.*)$", re.MULTILINE | re.IGNORECASE)
MAIL_SYSTEMS = ("mailerdaemon", "postmaster", "maildelivery")
"""What the letters of an address contain before its @ if a mail server writes its own messages from it."""
_COPY = re.compile(
    r"\s*(?:[-=_*]{3,}.*(?:copy|original|unsent|returned|header|message follows)"
    r"|(?:received|return-path|message-id|x-pbem-[a-z-]+):)",
    re.IGNORECASE,
)


def is_final(raw: bytes) -> bool:
    from flufl.bounce import all_failures  # only the process that parses needs it

    try:
        page = _beginning(raw)
        limits.check_parts(page)
        message = email.message_from_bytes(page, policy=compat32)
        reason = _reason(message)
        if not isinstance(message.get("From"), str):
            del message["From"]
            message["From"] = "nobody@invalid"  # without From the library's Yale detector fails
        temporary, permanent = all_failures(message)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - hostile bytes or a bug in a detector: not a report
        return False
    is_report = any(permanent) or (not any(temporary) and _is_mail_system(str(message["From"])))
    return is_report and reason is Reason.GONE


def _is_mail_system(sender: str) -> bool:
    """Return whether a value of From is one that mail servers use for their own messages."""
    local = email.utils.parseaddr(sender)[1].lower().partition("@")[0]
    letters = "".join(filter(str.isalpha, local))
    return sender.rstrip().endswith("<>") or any(name in letters for name in MAIL_SYSTEMS)


def _beginning(raw: bytes) -> bytes:
    page = limits.normalize_newlines(raw[:LONGEST])
    block, _ = limits.fit_header_block(page)
    return block + b"\n".join(page.partition(b"\n\n")[2].split(b"\n", MOST_LINES)[:MOST_LINES])


def _reason(message: Message) -> Reason:
    """Return why the message came back: by what the server answered, its status code, or the words around them."""
    replies, statuses, words, ours = [], [], [], _recipient(message)
    for part in _parts(message):
        if part.get_content_type() == "message/delivery-status":
            for block in _blocks(part, ours):
                replies += [str(value) for value in block.get_all("Diagnostic-Code", [])]
                statuses += [str(value) for value in block.get_all("Status", [])]
        elif part.get_content_maintype() == "text":
            words.append(_words(part, ours))
    texts = [*replies[:MOST_FIELDS], *statuses[:MOST_FIELDS], *words[:MOST_FIELDS]]
    reasons = (reason for reason in map(bounce_reasons.of_reply, texts) if reason is not Reason.UNCLEAR)
    reason = next(reasons, Reason.UNCLEAR)
    if reason is Reason.GONE and bounce_reasons.is_of_another_step("\n".join(texts)):
        return Reason.FOR_NOW
    return reason


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts of the report, without what is inside the returned message."""
    waiting = [message]
    while waiting:
        part = waiting.pop(0)
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting[:0] = [child for child in part.get_payload() if isinstance(child, Message)]
        else:
            yield part


def _recipient(message: Message) -> str:
    """Return whom the returned message went to, in lower case; "" if no copy of it says so."""
    for part in _parts(message):
        content = part.get_payload()
        if isinstance(content, str) and (header := _TO.search(content)):
            return email.utils.parseaddr(header[1])[1].lower()
        if isinstance(content, list) and part.get_content_type() == "message/rfc822":
            copies = [copy for copy in content if isinstance(copy, Message)]
            return email.utils.parseaddr(str(copies[0]["To"]))[1].lower() if copies else ""
    return ""


def _blocks(part: Message, ours: str) -> list[Message]:
    payload = part.get_payload()
    blocks = [block for block in payload if isinstance(block, Message)] if isinstance(payload, list) else []
    named = [block for block in blocks if ours and ours in str(block.get("Final-Recipient", "")).lower()]
    return [block for block in named or blocks if str(block.get("Action", "")).strip().lower() not in PASSED_ON]


def _words(part: Message, ours: str) -> str:
    """Return the words of the report, up to the copy of the returned message, without those about other recipients."""
    content = part.get_payload(decode=True)
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
    lines: list[str] = []
    for line in text[: bounce_reasons.LONGEST].splitlines()[:MOST_LINES_OF_WORDS]:
        if _COPY.match(line):
            break
        lines.append(line)
    paragraphs = "\n".join(lines).split("\n\n")
    about = [(named[1].lower() if (named := _ABOUT.match(text)) else "", text) for text in paragraphs]
    return "\n\n".join(text for who, text in about if who in ("", ours) or not ours or ours not in dict(about))
