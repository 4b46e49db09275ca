"""What mail programs put above a whole mail that they quote: From, Sent, To, Subject, and lines of dashes."""

from collections.abc import Sequence

MOST_LINES = 25
LONGEST_LABEL = 30
LONGEST_SEPARATOR = 100

FROM, DATE, TO, SUBJECT, OTHER = "from", "date", "to", "subject", "other"
_NAMES = {
    FROM: "from|von|de|da|van|från|fra|frá|od|от|від|від кого|от кого|kimden|gönderen|lähettäjä|feladó|expeditor|"
    "de la|von:|από|מאת|من|از|差出人|送信者|寄件者|寄件人|发件人|發件人|보낸 사람|보낸사람|발신|dari|từ|người gửi|จาก|remitent|"
    "saatja|no|nuo|pošiljatelj|šalje|expéditeur|mittente|remetente|remitente|afzender|absender|avsändare|avsender|"
    "afsender|nadawca|odesílatel|odosielateľ|expedient|от:|из|sender|reply-from|igorlea|nga|від:|से|प्रेषक|पाठक",
    DATE: "sent|date|gesendet|datum|envoyé|envoyé le|date d'envoi|enviado|enviado el|enviada em|enviado em|fecha|data|"
    "inviato|inviata|data invio|verzonden|skickat|sendt|dato|päivämäärä|lähetetty|wysłano|wyslano|odesláno|odoslané|"
    "dátum|elküldve|küldve|küldés dátuma|küldés ideje|trimis|отправлено|дата|надіслано|дата:|изпратено|послато|poslano|"
    "poslato|gönderildi|gönderme tarihi|tarih|ημερομηνία|στάλθηκε|εστάλη|נשלח|תאריך|تاريخ|التاريخ|تم الإرسال|ارسال|"
    "送信日時|送信日|送信|日付|日時|日期|时间|時間|发送时间|發送時間|发送日期|傳送時間|寄件日期|已发送|보낸 날짜|보낸날짜|날짜|보냄|dikirim|tanggal|đã gửi|"
    "ngày|วันที่|ส่งเมื่อ|enviat|saadetud|kuupäev|nosūtīts|išsiųsta|sent on|date sent|sent at|erstellt|sent date|dags|"
    "sendt den|dato sendt|zeit|sent:",
    TO: "to|an|à|para|a|per|aan|till|til|vastaanottaja|saaja|do|komu|címzett|pentru|către|catre|кому|до|за|kime|alıcı|"
    "προς|אל|إلى|الى|به|宛先|收件人|收件者|받는 사람|받는사람|수신|kepada|đến|tới|người nhận|ถึง|za|prejemnik|prima|adresat|empfänger|"
    "destinataire|destinatario|destinatário|ontvanger|mottagare|mottaker|modtager|odbiorca|příjemce|príjemca|kellele|kam|"
    "kam:|prima:|destinatari|hartzailea|për|को|प्राप्तकर्ता",
    SUBJECT: "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|efni|aihe|temat|předmět|predmet|predmet:|"
    "tárgy|subiect|тема|относно|предмет|наслов|naslov|konu|θέμα|נושא|الموضوع|موضوع|件名|主题|主題|主旨|标题|제목|subyek|"
    "subjek|perihal|chủ đề|tiêu đề|เรื่อง|หัวเรื่อง|assumpte|teema|temats|tēma|tema|thema|gaia|subjekti|विषय|sujet",
    OTHER: "cc|bcc|kopie|copie|copia|cópia|kopia|kopi|cci|cco|kopio|копия|копія|másolatot kap|másolat|bilgi|κοιν|"
    "עותק|抄送|副本|참조|同报|antwort an|reply-to|reply to|répondre à|responder a|rispondi a|beantwoorden|attachments|"
    "anlagen|anhänge|pièces jointes|adjuntos|datos adjuntos|anexos|allegati|bijlagen|bilagor|vedlegg|вложения|importance|"
    "wichtigkeit|priorität|priority|importancia|organization|message-id|mailing list|newsgroups|bitte antworten an|"
    "please respond to|dw|udw|ответить|gesendet mit|resent-to|signed by|security|mailed-by|signed-by|添付ファイル|附件|"
    "messages-id|references|x-mailer|rok|priorita|kopija|rātne",
}
LABELS = {name.rstrip(":"): kind for kind, names in _NAMES.items() for name in names.split("|")}
COLONS = (":", "\uff1a", "\t")

_SEPARATORS = (
    "original message|originalnachricht|ursprüngliche nachricht|urspr. nachricht|original-nachricht|message d'origine|"
    "message original|message initial|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|"
    "origineel bericht|ursprungligt meddelande|originalmeddelande|oprindelig meddelelse|oprindelig besked|"
    "original meddelelse|opprinnelig melding|alkuperäinen viesti|wiadomość oryginalna|oryginalna wiadomość|"
    "wiadomosc oryginalna|původní zpráva|původní e-mail|pôvodná správa|eredeti üzenet|mesaj original|mesajul original|"
    "исходное сообщение|исходное письмо|оригинальное сообщение|первоначальное сообщение|оригінальне повідомлення|"
    "вихідне повідомлення|оригинално съобщение|originalna poruka|izvorna poruka|izvirno sporočilo|orijinal mesaj|"
    "özgün ileti|αρχικό μήνυμα|הודעה מקורית|الرسالة الأصلية|پیام اصلی|元のメッセージ|オリジナルメッセージ|原始邮件|原始郵件|原始信件|"
    "原郵件|원본 메시지|원본메시지|원본 메일|pesan asli|thư gốc|tin nhắn gốc|ข้อความต้นฉบับ|missatge original|algne kiri|"
    "originalaus laiško|oriģinālais ziņojums|reply message|forwarded message|forwarded by|forwarded mail|"
    "weitergeleitete nachricht|message transféré|message transmis|mensaje reenviado|mensagem encaminhada|"
    "mensagem reencaminhada|messaggio inoltrato|inoltrato da|doorgestuurd bericht|vidarebefordrat meddelande|"
    "vidarebefordrat brev|videresendt meddelelse|videresendt melding|videresendt besked|välitetty viesti|"
    "edelleenlähetetty viesti|przekazana wiadomość|wiadomość przekazana|přeposlaná zpráva|preposlaná správa|"
    "továbbított üzenet|mesaj redirecționat|пересылаемое сообщение|пересланное сообщение|пересланное письмо|"
    "переслане повідомлення|препратено съобщение|proslijeđena poruka|prosleđena poruka|iletilen mesaj|iletilmiş mesaj|"
    "προωθημένο μήνυμα|הודעה שהועברה|رسالة معاد توجيهها|転送メッセージ|转发的邮件|轉寄郵件|轉寄的郵件|전달된 메시지|"
    "message suivi|reenviado por|pesan terusan|thư đã chuyển tiếp|missatge reenviat|encaminhado por"
).split("|")
_BEGINNINGS = (
    "begin forwarded message:|anfang der weitergeleiteten nachricht:|début du message réexpédié :|"
    "début du message réexpédié:|début du message transféré :|début du message transféré:|inicio del mensaje reenviado:|"
    "início da mensagem encaminhada:|início da mensagem reencaminhada:|inizio messaggio inoltrato:|"
    "begin doorgestuurd bericht:|vidarebefordrat brev:|vidarebefordrat mejl:|start på videresendt besked:|"
    "start på videresendt e-mail:|videresendt melding:|välitetty viesti alkaa:|początek przekazywanej wiadomości:|"
    "přeposlaná zpráva:|начало переадресованного сообщения:|початок листа, що пересилається:|iletilen mesajın başlangıcı:|"
    "转发的邮件：|開始轉寄郵件：|転送されたメッセージ：|전달된 메시지 시작:|original message processed by"
).split("|")
_ABOVE = (
    "reply above this line|type your reply above|reply above the line|write above this line|respond above this line|"
    "reply before this line|please reply above|oberhalb dieser zeile|über dieser zeile antworten|au-dessus de cette ligne|"
    "por encima de esta línea|sopra questa riga|sopra questa linea|boven deze regel|boven deze lijn|acima desta linha|"
    "ovanför den här raden|ovanför denna rad|over denne linje|over denne linjen|tämän rivin yläpuolelle|powyżej tej linii|"
    "выше этой строки|nad tímto řádkem|nad touto čarou|この行より上"
).split("|")


def heading_at(lines: Sequence[str], number: int) -> int:
    """How many lines the heading takes that begins in that line; 0 where none does.

    >>> heading_at(["*Von:* PBeM", "*Gesendet:* Montag", "*An:* bob@mail.example", "*Betreff:* Hallo", "", "Text"], 0)
    4
    >>> heading_at(["To: you", "From here I see no way."], 0)
    0
    """
    if _label(lines[number]) in (None, OTHER):
        return 0
    kinds: set[str] = set()
    end = at = number
    since = 0  # lines since the last label: long lists of recipients are wrapped
    while at < min(len(lines), number + MOST_LINES):
        kind = _label(lines[at])
        if kind is not None and kind in kinds - {OTHER}:
            break
        if kind is not None:
            kinds.add(kind)
            end, since = at + 1, 0
        else:
            since += 1
            blank = not lines[at].strip()
            if since > (1 if blank else 3) or (blank and _label("".join(lines[at + 1 : at + 2])) is None):
                break
        at += 1
    if len(kinds & {FROM, DATE, TO, SUBJECT}) < 3:
        return 0
    while SUBJECT in kinds and end < len(lines) and lines[end - 1].strip() and lines[end].strip() and end < at:
        end += 1  # a Subject that was wrapped
    return end - number


def author_of(lines: Sequence[str]) -> str | None:
    """The address in the From of a heading, in lower case; None where none stands there."""
    line = next((line for line in lines if _label(line) == FROM), "")
    for word in line.lower().replace("<", " ").replace(">", " ").replace("[", " ").replace("]", " ").split():
        if "@" in word:
            return word.removeprefix("mailto:").strip("*_()\"',;")
    return None


def joined_heading(line: str) -> int | None:
    """Where in a line a whole heading begins that was joined behind the words, else None.

    >>> joined_heading("c1b1 From: PBeM <a@b.example> Sent: Monday To: Bob Subject: Hello")
    5
    """
    found: dict[str, int] = {}
    at = 0
    for word in line.split(" "):
        if word.endswith(COLONS) and len(word) <= LONGEST_LABEL:
            kind = LABELS.get(word.strip("*_:\uff1a").lower())
            if kind is not None and kind not in found and (kind == FROM or FROM in found):
                found[kind] = at
        at += len(word) + 1
    if len(found.keys() & {FROM, DATE, TO, SUBJECT}) == 4:
        return found[FROM]
    return None


def is_separator(line: str) -> bool:
    """Whether the line says that a mail is quoted or forwarded below.

    >>> is_separator("-----Original Message-----"), is_separator("________ Forwarded by Bob ________")
    (True, True)
    >>> is_separator("----- my plan -----"), is_separator("The original message was lost.")
    (False, False)
    """
    bare = line.strip(" \t*>").lower()
    if not bare or len(bare) > LONGEST_SEPARATOR:
        return False
    if any(bare.startswith(phrase) for phrase in _BEGINNINGS) or any(phrase in bare for phrase in _ABOVE):
        return True
    inner = bare.strip("-_=\u2014\u2013\u2500 ")
    dashes = len(bare) - len(bare.lstrip("-_=\u2014\u2013\u2500"))
    return dashes >= 2 and len(inner) <= 80 and any(phrase in inner for phrase in _SEPARATORS)


def is_rule(line: str) -> bool:
    """Whether a line is drawn across the mail: five or more of - _ = and the like, and nothing else.

    >>> is_rule("________________"), is_rule("----")
    (True, False)
    """
    bare = line.strip(" \t*")
    return len(bare) >= 5 and not bare.strip(bare[0]) and bare[0] in "-_=\u2014\u2013\u2500~"


def joined_separator(line: str) -> int | None:
    """Where in a line "-----Original Message-----" begins behind the words, else None."""
    at = line.find(" ---")
    if at <= 0:
        return None
    rest = line[at:].lstrip(" -").lower()[:LONGEST_SEPARATOR]
    return at if any(rest.startswith(phrase) for phrase in _SEPARATORS) else None


def is_label(line: str) -> bool:
    """Whether the line is one of a heading: "From: ...", in some language."""
    return _label(line) not in (None, OTHER)


def _label(line: str) -> str | None:
    """Which part of a heading the line is; None for any other line."""
    bare = line[:200].strip().lstrip("*_\u2022# ")
    ends = [at for at in (bare.find(colon) for colon in COLONS) if 0 < at <= LONGEST_LABEL]
    if not ends:
        return None
    return LABELS.get(bare[: min(ends)].strip(" *_\"'").lower().replace("\u2019", "'"))
