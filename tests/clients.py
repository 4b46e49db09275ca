"""Replies to our messages as mail programs write them, with the structure, quotes and signatures of real ones.

Each function takes our message and the person's lines and returns the raw reply. Programs quote the part that they
show: those that show HTML quote the HTML part and derive the text of their reply from it, including its links.
"""

import re
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid
from html import escape

from selectolax.lexbor import LexborHTMLParser

from tests.correspondence import ADDRESS, text

BLOCKS = ("p", "div", "tr", "table", "h1", "h2", "h3", "li", "ul", "pre", "br")


def html_of(mail: EmailMessage) -> str:
    """Return the HTML that a program would quote: the body of the HTML part, or else the lines of the text."""
    part = mail.get_body(("html",))
    if part is None:
        return "<br>\n".join(escape(line) for line in text(mail).splitlines())
    page = part.get_content()
    body = re.search(r"<body[^>]*>(.*)</body>", page, re.DOTALL)
    return body[1] if body else page


def shown_text(mail: EmailMessage) -> str:
    """Return our message as a program that shows HTML quotes it in plain text: words, followed by their links."""
    part = mail.get_body(("html",))
    if part is None:
        return text(mail)
    tree = LexborHTMLParser(part.get_content())
    for node in tree.css("style, script, head"):
        node.decompose()
    for link in tree.css("a[href]"):
        link.insert_after(f" <{link.attributes['href']}>")
    for block in tree.css(", ".join(BLOCKS)):
        block.insert_after("\n")
    for picture in tree.css("img"):
        picture.insert_after(f"[image: {picture.attributes.get('alt') or ''}]")
    shown = tree.body.text() if tree.body else ""
    return re.sub(r"\n\s*\n+", "\n\n", shown).strip()


def marked(words: str) -> str:
    """Return the words with > before each line."""
    return "\n".join(f"> {line}".rstrip() for line in words.splitlines())


def _answer(mail: EmailMessage, plain: str, html: str | None = None, **headers: str) -> bytes:
    """Return the reply with those parts, addressed as a mail program would."""
    answer = EmailMessage(policy=SMTP)
    answer["From"] = str(mail["To"])
    answer["To"] = str(mail["Reply-To"])
    answer["Subject"] = mail["Subject"] if str(mail["Subject"]).startswith("Re:") else f"Re: {mail['Subject']}"
    answer["Message-ID"] = make_msgid(domain="mail.example")
    answer["In-Reply-To"] = str(mail["Message-ID"])
    answer["References"] = f"{mail.get('References', '')} {mail['Message-ID']}".strip()
    for name, value in headers.items():
        answer[name.replace("_", "-")] = value
    answer.set_content(plain)
    if html is not None:
        answer.add_alternative(html, subtype="html")
    return answer.as_bytes()


def gmail(mail: EmailMessage, words: str) -> bytes:
    """Gmail in a browser, writing above the quote."""
    who = f'PBeM &lt;<a href="mailto:{ADDRESS}">{ADDRESS}</a>&gt;'
    above = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.splitlines())
    return _answer(
        mail,
        f"{words}\n\nOn Sat, Nov 21, 2026 at 3:10 AM PBeM <{ADDRESS}>\nwrote:\n\n{marked(shown_text(mail))}\n",
        f'<div dir="ltr">{above}</div><br><div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">'
        f"On Sat, Nov 21, 2026 at 3:10 AM {who} wrote:<br></div>"
        f'<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">{html_of(mail)}</blockquote></div>',
    )


def outlook(mail: EmailMessage, words: str) -> bytes:
    """Outlook for Windows: a block of headers above the quote, no > before its lines."""
    head = {"From": f"PBeM <{ADDRESS}>", "Sent": "Saturday, November 21, 2026 3:10 AM", "To": str(mail["To"])}
    head["Subject"] = str(mail["Subject"])
    block = "\n".join(f"{label}: {value}" for label, value in head.items())
    html_block = "<br>".join(f"<b>{label}:</b> {escape(value)}" for label, value in head.items())
    paragraphs = "".join(f"<p class=MsoNormal>{escape(line) or '&nbsp;'}<o:p></o:p></p>" for line in words.splitlines())
    return _answer(
        mail,
        f"{words}\n\n{block}\n\n{shown_text(mail)}\n",
        f'<html xmlns:o="urn:schemas-microsoft-com:office:office"><body lang=EN-US><div class=WordSection1>{paragraphs}'
        f'<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        f"<p class=MsoNormal>{html_block}<o:p></o:p></p></div></div>{html_of(mail)}</div></body></html>",
        Thread_Topic=str(mail["Subject"]),
    )


def outlook_html_only(mail: EmailMessage, words: str) -> bytes:
    """Outlook on the web, sending HTML alone."""
    lines = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.splitlines())
    answer = EmailMessage(policy=SMTP)
    whole = _answer(mail, "x")
    for line in whole.split(b"\r\n\r\n")[0].decode().replace("\r\n ", " ").split("\r\n"):
        name, _, value = line.partition(": ")
        if not name.lower().startswith(("content-", "mime-")):
            answer[name] = value
    answer.set_content(
        f'<html><head></head><body dir="ltr"><div style="font-family: Aptos">{lines}</div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="divRplyFwdMsg" dir="ltr"><b>From:</b> PBeM &lt;{ADDRESS}&gt;<br><b>Sent:</b> Saturday'
        f"<br><b>To:</b> {mail['To']}<br><b>Subject:</b> {escape(str(mail['Subject']))}</div>"
        f"<div>{html_of(mail)}</div></body></html>",
        subtype="html",
    )
    return answer.as_bytes()


def apple_mail(mail: EmailMessage, words: str) -> bytes:
    """Apple Mail on an iPhone, with its signature."""
    return _answer(
        mail,
        f"{words}\n\nSent from my iPhone\n\n> On Nov 21, 2026, at 3:10 AM, PBeM <{ADDRESS}> wrote:\n> \n"
        f"{marked(shown_text(mail))}\n",
        '<html><head></head><body dir="auto">'
        + "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.splitlines())
        + '<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br>'
        f'<blockquote type="cite">On Nov 21, 2026, at 3:10 AM, PBeM &lt;{ADDRESS}&gt; wrote:<br><br></blockquote></div>'
        f'<blockquote type="cite"><div dir="ltr">{html_of(mail)}</div></blockquote></body></html>',
    )


def s_nail(mail: EmailMessage, words: str) -> bytes:
    """s-nail, writing below the quote."""
    return _answer(mail, f"PBeM <{ADDRESS}> wrote in\n <{mail['Message-ID']}>:\n\n{marked(text(mail))}\n{words}\n")


def unmarked(mail: EmailMessage, words: str) -> bytes:
    """mutt, configured not to mark quoted lines."""
    return _answer(mail, f"{words}\n\nOn Sat, Nov 21, 2026 at 03:10:00AM +0000, PBeM wrote:\n{text(mail)}\n")


CLIENTS: dict[str, Callable[[EmailMessage, str], bytes]] = {
    "gmail": gmail,
    "outlook": outlook,
    "outlook-html-only": outlook_html_only,
    "apple-mail": apple_mail,
    "s-nail": s_nail,
    "unmarked": unmarked,
}
