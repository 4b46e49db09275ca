"""What the players of a demonstration saw, as pages for a browser: their messages as HTML, and the animation."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from email.message import EmailMessage
from html import escape
from pathlib import Path

from pbem.messages.mime import text_of

PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A match by email</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ margin: 0 auto; padding: 24px 12px; max-width: 640px; font: 16px/1.5 sans-serif; background: #f3f1ea; }}
h2 {{ margin: 48px 0 4px; font-size: 19px; }}
p {{ margin: 0 0 10px; }}
iframe {{ width: 100%; border: 0; }}
pre {{ padding: 12px; background: #fff; overflow-x: auto; font-size: 13px; }}
img {{ max-width: 100%; }}
</style></head><body>
<h1>A match by email: {title}</h1>
<p>These are messages as the players got them; the folder out has all. The buttons and links open a reply.</p>
{parts}
</body></html>
"""
FRAMED = """\
<h2>{heading}</h2>
<p>To {to}: <b>{subject}</b></p>
{body}
"""
FRAME = (
    """<iframe srcdoc="{page}" onload="this.style.height = this.contentDocument.body.scrollHeight + 'px'"></iframe>"""
)


def write_pages(folder: Path, title: str, shown: Sequence[tuple[str, EmailMessage]]) -> Path:
    parts = [_part(heading, mail) for heading, mail in shown]
    for name, content in _animations(shown[-1][1]):
        (folder / name).write_bytes(content)
        parts.append(f'<h2>the animation, attached to the record</h2>\n<img src="{escape(name)}" alt="every board">\n')
    path = folder / "index.html"
    path.write_text(PAGE.format(title=escape(title), parts="".join(parts)), encoding="utf-8")
    return path


def _part(heading: str, mail: EmailMessage) -> str:
    """Return a message with its heading: the HTML in a frame of its own, or the text if there is none."""
    html = mail.get_body(("html",))
    body = FRAME.format(page=escape(inlined(mail))) if html else f"<pre>{escape(text_of(mail))}</pre>"
    return FRAMED.format(
        heading=escape(heading), to=escape(str(mail["To"])), subject=escape(str(mail["Subject"])), body=body
    )


def inlined(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    html = str(part.get_content()) if part else ""
    for picture in mail.walk():
        if picture["Content-ID"]:
            content = b64encode(picture.get_content()).decode()
            html = html.replace(f"cid:{picture['Content-ID'].strip('<>')}", f"data:image/png;base64,{content}")
    return html


def _animations(mail: EmailMessage) -> Iterator[tuple[str, bytes]]:
    for part in mail.iter_attachments():
        if part.get_content_type() == "image/gif":
            yield part.get_filename("match.gif"), part.get_content()
