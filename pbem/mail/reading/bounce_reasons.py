"""Why a message came back: because its address is gone for good, or for a reason that may pass.

Mail servers say so in a status code (RFC 3463) and in words. The words are more precise: servers answer 5.1.1 for a
full mailbox, and 5.7.1 for a user whom they don't know. Where neither is clear, nothing is said.
"""

import re
from enum import Enum


class Reason(Enum):
    GONE = "gone"  # there is no such mailbox or domain, or it takes no mail any more
    FOR_NOW = "for now"  # the mailbox is full, we are blocked, it took too long: another message may arrive
    UNCLEAR = "unclear"


LONGEST = 20_000
_STATUS = re.compile(r"(?<![\d.])([45])\.([0-7])\.(\d{1,3})(?!\.?\d)")
_WRAPPED = re.compile(r"([45]\d\d)-(([45]\.\d\.\d{1,3}) .*)")
"""A reply of several lines, each of which begins with its code."""
_REPLY = re.compile(r"(?:^|[\s;:-])([45]\d\d)(?=[\s-])")

GONE = frozenset({(1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (1, 10), (2, 1), (4, 4), (4, 310)})
"""Subjects and details of permanent status codes (5.x.y) that mean that an address is gone."""
UNSAID = frozenset({(0, 0), (1, 0), (4, 1), (5, 0)})  # those that servers use for anything, so the words decide

PASSING_CODES = frozenset(
    {"452", "500", "502", "503", "504", "521", "523", "530", "535", "541", "552", "554", "555", "571"}
)
"""Reply codes of RFC 5321 and its extensions that are about the message, our commands or us, unless more is said."""

_SENDER_STEPS = (
    *("in reply to mail from", "in reply to helo", "in reply to ehlo", "after mail from", "after helo", "after ehlo"),
    *("after initial connection", "after pipelined mail from", "like our mail from", "like our helo", "like our ehlo"),
    *(">>> mail from", ">>> helo", ">>> ehlo", "sender was rejected", "my name was rejected", "greeting failed"),
)
_DATA_STEPS = (
    *("in reply to end of data", "after end of data", "after sending data block", "after pipelined sending data block"),
    *("like our final data", ">>> data <<< 5", "failed after i sent the message", "smtp command data"),
)
"""How Postfix, Exim, dma, sendmail, Courier, qmail and others write which step of the dialogue was refused."""
_NO_RECIPIENT = ("need rcpt", "valid recipient")
"""What a server adds after DATA if it had refused the recipient: sendmail had sent both without waiting."""

_OURS_OR_FULL = (
    *("sender address", "sender domain", "sender verif", "sender rejected", "address of sender", "envelope sender"),
    *("domain of sender", "sender ip", "sender is ", "sender not", "return path", "mail from ", "from address", "helo"),
    *("ehlo", "reverse dns", "dns ptr", "ptr record", "dns mx", "client host", "your host", "your ip", "your server"),
    *("relaying", "relay access", "to relay", "relay denied", "relay not", "not relay", "open relay", "rcpthosts"),
    *("not authenticated", "authentication", "expéditeur", "expediteur", "sender denied", "bad sender"),
    *("invalid sender", "unknown sender", "sender unknown", "sender must", "for sender", "unroutable sender"),
    *("unrouteable sender", "unresolvable", "from domain", "not allowed to send", "a valid from", "sendasdenied"),
    *("[tss0", "sender hostname", "your domain", "originating", "backscatter", "quota", "mailbox full", "full mailbox"),
    *("is full", "storage", "disk space", "enough space", "space limit", "space has been used", "no space left"),
    *("disk full", "exceeded the", "size exceeds", "size limit", "would exceed", "has exceeded", "over the allowed"),
    *("too much mail data", "postfach voll", "postfach ist voll", "speicherplatz", "pleine", "buzón lleno"),
    *("casilla llena", "casella piena", "переполнен", "容量", "已满", "一杯", "at a rate", "rate limit", "ratelimit"),
    *("too many", "too fast", "throttl", "greylist", "graylist", "grey list", "frequency limit", "try again later"),
    *("try again in", ", try again", "try later", "please retry", "temporar", "deferred", "delayed"),
    *("not yet been delivered", "keep trying", "essayer plus tard", "sessions", "connections from", "still trying"),
    *("will be retried", "sequence of commands", "command sequence"),
)
"""Our server is refused, the mailbox is full, or too much mail comes at once: whatever else is missing."""
_GONE = (
    *("user unknown", "unknown user", "no such user", "no such recipient", "no such mailbox", "no such address"),
    *("no such person", "no such account", "no such local", "no such email", "no such domain", "doesn't exist"),
    *("not exist", "nonexistent", "non-existent", "user not found", "recipient not found", "recipientnotfound"),
    *("recipient notfound", "mailbox not found", "address not found", "account not found", "couldn't be found"),
    *("could not be found", "wasn't found", "was not found", "> not found", "not a known user", "user not known"),
    *("unknown recipient", "recipient unknown", "unknown mailbox", "unknown address", "address unknown"),
    *("unknown local", "unknown account", "unknown e-mail", "unknown email", "invalid recipient", "invalid mailbox"),
    *("invalid address", "invalid user", "user invalid", "mailbox invalid", "not a valid mailbox"),
    *("not a valid recipient", "not a valid user", "not our customer", "no mailbox", "mailbox unavailable"),
    *("mailbox is unavailable", "user unavailable", "account unavailable", "no longer available", "no longer valid"),
    *("no longer accept", "no longer active", "no longer in use", "no longer here", "no longer with", "not an active"),
    *("not active", "is inactive", "inactive user", "is disabled", "been disabled", "account disabled"),
    *("mailbox disabled", "user disabled", "discontinued", "deactivated", "been deleted", "been closed"),
    *("been terminated", "account closed", "account expired", "no one at this address", "doesn't have a "),
    *("addressee unknown", "not local", "not listed in", "not in directory", "bad address", "badrcptto", "validrcptto"),
    *("badrecipientto", "illegal alias", "mailbox name not allowed", "has moved", "no forwarding address"),
    *("undeliverable address", "unrouteable address", "unroutable address", "unrouteable mail domain", "host unknown"),
    *("unknown host", "unknown domain", "domain unknown", "domain not found", "host or domain name not found"),
    *("host not found", "name or service not known", "nxdomain", "nullmx", "null mx", "does not accept mail"),
    *("no valid mx", "inconnu", "no existe", "nicht gefunden", "unbekannt", "sconosciut", "inesistente"),
    *("nessun utente", "onbekend", "address invalid", "accept user", "were unknown", "is unknown", "not present"),
    *("unavaiable", "no account", "no mail box", "virtual user", "domain must exist", "is not found", "neexistuje"),
    *("nie istnieje", "n'existe pas", "invalide", "non valido", "bestaat niet", "no longer exist", "not registered"),
    *("no such host", "dns lookup failure: host", "no smtp service", "no mail exchanger", "find a mail exchanger"),
    *("find any host named", "bad destination", "name is not recognized", "can't be found", "cannot be found"),
    *(
        "delivery userid",
        "ディレクトリのリストに",
        "non trouvé",
        "desconocid",
        "desconhecid",
        "не найден",
        "не существует",
    ),
    *("неизвестн", "存在しない", "不存在", "見つかりません", "未知"),
)
_PASSING = (
    *("queue period", "resolve your", "confirm this mail", "go away", "dynamic ip", "mail server", "your isp", "proxy"),
    *("relay host", "requires confirmation", "not been collected", "aborted after", "attempts", "frequency", "expired"),
    *("timed out", "timeout", "time out", "too long", "retry time", "giving up", "gave up", "been queued"),
    *("connection reset", "connection dropped", "lost connection", "no route", "unreachable", "not respond"),
    *("no answer", "unable to connect", "could not connect", "couldn't connect", "can't connect", "suspended"),
    *("frozen", "locked", "blocklist", "block list", "blacklist", "black list", "blackhole", "denylist", "dnsbl"),
    *("rbl", "barracuda", "proofpoint", "reputation", "spam", "unsolicited", "bulk", "phish", "virus", "malware"),
    *("content", "polic", "spf", "dkim", "dmarc", "unauthenticated", "not allowed", "not authorized", "not authorised"),
    *("not permitted", "access denied", "refused", "prohibited", "filter", "loop", "too large", "too big"),
    *("system error", "local error", "internal error", "configuration", "starttls", "tls ", "certificate", "protocol"),
    *("busy", "overload", "service unavailable", "not accepting", "name server reply", "need rcpt"),
)
_REJECTED = re.compile(r"(?:address|recipient) rejected(?!: ?\w)")
"""What servers write in front of the cause. Where none follows, there is no such mailbox."""
_SURE = (
    *("recipient address rejected: access denied", "recipient address rejected: user unknown"),
    "this user doesn't have a ",
)
"""Phrases that are about the address, whatever else is in the text."""
_TABLE = ((_SURE, Reason.GONE), (_OURS_OR_FULL, Reason.FOR_NOW), (_GONE, Reason.GONE), (_PASSING, Reason.FOR_NOW))
"""What the words say, first match first: "sender address rejected: domain not found" is about us."""


def of_reply(reply: str) -> Reason:
    """Return what a server's refusal says: the words first, then its status code."""
    text = " ".join(reply[:LONGEST].split()).lower()
    text = _WRAPPED.sub(
        lambda reply_line: re.sub(rf" {reply_line[1]}[- ]{reply_line[3]}(?= )", "", reply_line[0]), text
    )
    code = _REPLY.search(text)
    status = _STATUS.search(text)
    if (code and code[1].startswith("4")) or (status and status[1] == "4"):
        return Reason.FOR_NOW
    reason = _of_words(text)
    if reason is Reason.UNCLEAR and status is not None:
        reason = _of_status(status)
    if reason is Reason.UNCLEAR and code is not None and code[1] in PASSING_CODES:
        return Reason.FOR_NOW
    if reason is Reason.UNCLEAR and _REJECTED.search(text):
        return Reason.GONE
    return reason


def is_of_another_step(report: str) -> bool:
    """Return whether a report says that a server refused our host, our address or the message, not the recipient.

    A server that accepts the recipient and refuses the message filters it, even if it calls the user unknown. One that
    gives the status of a dead address is believed.
    """
    text = " ".join(report[:LONGEST].split()).lower()
    if any(step in text for step in _SENDER_STEPS):
        return True
    status = _STATUS.search(text)
    if status is not None and _of_status(status) is Reason.GONE:
        return False
    return any(step in text for step in _DATA_STEPS) and not any(sign in text for sign in (*_NO_RECIPIENT, *_SURE))


def _of_status(status: re.Match[str]) -> Reason:
    detail = (int(status[2]), int(status[3]))
    if status[1] == "5" and detail in GONE:
        return Reason.GONE
    return Reason.UNCLEAR if status[1] == "5" and detail in UNSAID else Reason.FOR_NOW


def _of_words(text: str) -> Reason:
    text = text.replace("\u2019", "'")
    return next((reason for phrases, reason in _TABLE if any(phrase in text for phrase in phrases)), Reason.UNCLEAR)
