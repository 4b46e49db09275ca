"""What mail programs put below the words of a person: "-- ", "Sent from my iPhone", and how it is told."""

from collections.abc import Sequence

LONGEST_TAGLINE = 160
MOST_WORDS = 16
MOST_LINES = 15
"""Below a "--" without the blank, no more lines than these are a signature."""

_SENT = (
    "sent from|sent via|sent with|sent by|sent using|sent through|composed on|composed with|gesendet von|gesendet mit|"
    "gesendet über|gesendet aus|gesendet via|von meinem|von meiner|diese nachricht wurde von|diese e-mail wurde von|"
    "diese nachricht wurde mit|envoyé de|envoyé depuis|envoyé à partir|envoyé avec|envoyé par|envoyé via|enviado desde|"
    "enviado de|enviado do|enviado da|enviado a partir|enviado por|enviado con|enviado com|enviada do|enviada desde|"
    "inviato da|inviato dal|inviata da|inviato con|inviato tramite|verzonden vanaf|verstuurd vanaf|verzonden met|"
    "verstuurd met|verzonden via|verstuurd via|verzonden door|skickat från|skickat med|skickades från|sendt fra|sendt med|"
    "sendt via|sendt på|sent á|lähetetty|wysłane z|wysłano z|wysłane przez|wysłane za|wiadomość wysłana|odesláno z|"
    "odeslané z|odesláno pomocí|odoslané z|poslané z|poslano s|poslano z|poslato sa|poslano iz|отправлено с|отправлено из|"
    "отправлено через|отправлено от|отправлено при|отправлено мобильн|надіслано з|надіслано через|изпратено от|"
    "изпратено с|trimis de|trimis din|trimis cu|expediat de|küldve|elküldve|στάλθηκε|εστάλη|נשלח|أرسلت من|مرسل من|"
    "أُرسل من|تم الإرسال من|ارسال شده|enviat des|dikirim dari|dikirim menggunakan|đã gửi từ|được gửi từ|ส่งจาก|saadetud|"
    "nosūtīts|išsiųsta|发自|發自|從我的|从我的|傳送自|来自我的|發送自|发送自|sendur úr|bidalita|gönderildi|a küldve|"
    "get outlook|obtenir outlook|télécharger outlook|obtener outlook|descargar outlook|scarica outlook|ottieni outlook|"
    "outlook für|outlook voor|download outlook|hämta outlook|hent outlook|få outlook|pobierz|obter o outlook|obter outlook|"
    "скачать outlook|получить outlook|получите outlook|завантажити outlook|stáhnout outlook|získat outlook|"
    "získejte outlook|hanki outlook|lataa outlook|获取 outlook|取得 outlook|yahoo mail|outlook'u|outlook edinin|"
    "enviado via|sended from|written on my|typed on my|tapped on my|dictated on my|this email was sent from|"
    "this message was sent from|on the go with"
).split("|")
_SENT_BEHIND = (
    "から送信|より送信|で送信|を入手|에서 보냄|에서 보낸|보냈습니다|다운로드|gönderildi|傳送|发送|發送|edinin|से भेजा|से भेजा गया|寄出"
).split("|")
_DEVICES = (
    "iphone|ipad|ipod|android|samsung|galaxy|blackberry|smartphone|mobile|mobiltelefon|handy|phone|tablet|outlook|yahoo|"
    "gmail|proton|nokia|huawei|xiaomi|redmi|poco|oneplus|oppo|vivo|honor|pixel|motorola|moto|sony|xperia|htc|lg|windows|"
    "k-9|k-@|mail|e-mail|mailspring|spark|superhuman|aquamail|bluemail|edison|telefon|teléfono|telefono|téléphone|"
    "celular|móvil|movil|telemóvel|cellulare|portable|puhelim|mobil|mobile|device|apple|watch|mac|ios|app|fairphone|"
    "smart|tablette|tutanota|tuta|fastmail|zoho|thunderbird|mailbird|newton|boxer|nine|wireless|verizon|att|t-mobile|"
    "telekom|gmx|web.de|freenet|телефон|смартфон|айфон|почт|устройств|手机|手機|端末|スマートフォン|휴대폰|携帯|邮箱|telefonu|computer|laptop"
).split("|")
_SURE = (
    "sent from my iphone|sent from my ipad|sent from my android|sent from my samsung|sent from my mobile|"
    "sent from my phone|sent from my galaxy|sent from my blackberry|sent from my huawei|sent from my xiaomi|"
    "sent from yahoo mail|sent from outlook|get outlook for|outlook für ios|outlook für android|télécharger outlook pour|obtener outlook para|sent from mail for windows|sent from proton|"
    "sent with proton|von meinem iphone gesendet|von meinem ipad gesendet|von meinem handy gesendet|"
    "gesendet von meinem|envoyé de mon|envoyé depuis mon|enviado desde mi|enviado do meu|inviato da iphone|"
    "inviato dal mio|verstuurd vanaf mijn|verzonden vanaf mijn|skickat från min|sendt fra min|wysłane z iphone|"
    "wysłane z mojego|odesláno z iphon|отправлено с iphone|отправлено с моего|надіслано з iphone"
).split("|")
_OWN_DEVICE = ("von meinem", "von meiner", "diese nachricht wurde", "diese e-mail wurde")
_OWN_DEVICE_SENT = ("gesendet", "geschickt", "verschickt", "versendet", "verfasst", "geschrieben")
_MARKS = ("--", "\u2014", "\u2013", "\u2014-", "-\u2014", "\u2013-", "__", "\u2014\u2014", "--\u200b")
_HINTS = ("@", "http://", "https://", "www.", "tel:", "tel.", "phone", "mobil", "fon:", " | ", "+1", "+4", "+3")


def is_delimiter(line: str) -> bool:
    """Whether the line is the signature mark of RFC 3676: two hyphens and a blank."""
    return line in ("-- ", "--  ")


def is_loose_delimiter(line: str) -> bool:
    """Whether the line is what people and programs make of that mark: "--", a dash, "__"."""
    return line.strip() in _MARKS


def has_contacts(block: Sequence[str]) -> bool:
    """Whether some few short lines say how to reach somebody, and nothing else."""
    lines = [line.strip() for line in block if line.strip()]
    brief = 0 < len(lines) <= 8 and all(len(line) <= 80 and not line.endswith(("!", "?")) for line in lines)
    return brief and any(hint in line.lower() for line in lines for hint in _HINTS)


def is_tagline(line: str, *, stands_alone: bool) -> bool:
    """Whether a mail program added the line; one without a device's name must stand in a paragraph of its own.

    >>> is_tagline("Sent from my iPhone", stands_alone=False), is_tagline("Von meinem Handy gesendet", stands_alone=True)
    (True, True)
    >>> is_tagline("Sent from my desk, is much easier than my mobile phone.", stands_alone=True)
    False
    """
    bare = line.strip(" \t*_~[](){}-\u2022|").lower()
    if not bare or len(bare) > LONGEST_TAGLINE:
        return False
    bare = _without_links(bare)
    if len(bare.split()) > MOST_WORDS:
        return False
    if bare.startswith(_OWN_DEVICE) and not bare.rstrip(".").endswith(_OWN_DEVICE_SENT):
        return False  # "Von meinem Handy aus geht das nicht."
    opens = bare.startswith(tuple(_SENT))
    if not opens and not any(phrase in bare for phrase in _SENT_BEHIND):
        return False
    claim = bare
    for stop in (",", ". ", ";", "!", "?", " - ", " \u2013 ", " because ", " so ", " but ", " and "):
        claim = claim.partition(stop)[0]
    if any(device in claim for device in _DEVICES):
        return stands_alone or bare.startswith(tuple(_SURE))
    return opens and bare.startswith("sent from") and stands_alone and claim == bare and len(bare.split()) <= 8


def joined_tagline(line: str) -> int | None:
    """Where in a line a well-known tagline begins behind the words, when nothing else follows; else None.

    >>> joined_tagline("c1b1 g9h9 3 Sent from my iPhone")
    12
    """
    tail = line[-LONGEST_TAGLINE:].lower()
    if len(tail) > len(line[-LONGEST_TAGLINE:]):
        return None  # a letter that grows when it is made small
    for phrase in _SURE:
        at = tail.rfind(phrase)
        if at > 0 and tail[at - 1] in " .,;!?" and len(tail[at:].split()) <= len(phrase.split()) + 4:
            if "." in tail[at:].rstrip(". ") and "http" not in tail[at:]:
                continue
            return len(line) - len(tail) + at
    return None


def _without_links(text: str) -> str:
    """The text without addresses of pages, whether they stand between < and > or alone."""
    for opening, closing in (("<http", ">"), ("(http", ")"), ("[http", "]")):
        before, found, rest = text.partition(opening)
        if found:
            text = before + rest.partition(closing)[2]
    return " ".join(word for word in text.split() if not word.startswith(("http://", "https://"))).strip()
