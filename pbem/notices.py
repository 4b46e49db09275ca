"""What firms and mail servers write into a person's mail: warnings above the words, legal notices below them."""

from collections.abc import Sequence

LONGEST_BANNER = 6
_BANNER_STARTS = (
    "caution|external|warning|attention|achtung|vorsicht|notice|alert|be careful|think before|this email originated|"
    "this message originated|this email came from|this message came from|this email was sent from outside|"
    "you don't often get email from|some people who received this message don't often get|you don\u2019t often get email|"
    "diese e-mail kommt von|diese nachricht kommt von|diese e-mail stammt von|sie erhalten nicht oft|sie erhalten nicht"
    " häufig|vous n'obtenez pas souvent|vous ne recevez pas souvent|ce message provient|cet e-mail provient|"
    "ce courriel provient|courriel externe|externe|extern|let op|precaución|atención|cuidado|no suele recibir|"
    "atenção|attenzione|non si ricevono spesso|non ricevi spesso|obs|advarsel|varning|uwaga|внимание|pozor|figyelem|"
    "dikkat|注意|警告|外部|do not click"
).split("|")
_BANNER_WORDS = (
    "outside|external|originated|unknown sender|do not click|don't click|recognize the sender|recognise the sender|"
    "learn why this is important|extern|ausserhalb|außerhalb|keine links|absender nicht|en dehors|l'extérieur|"
    "ne cliquez pas|expéditeur|externo|exterior|fuera de|remitente|esterno|mittente|di fuori|buiten|afzender|"
    "extérieur|utanför|avsändar|udenfor|afsender|utenfor|zewnątrz|nadawc|внешн|отправител|вне организации|"
    "learnaboutsenderidentification|外部|not part of your organi"
).split("|")
_SCAN = (
    "scanned for viruses|virus-free|virusfrei|scanned by|checked for viruses|virus gescannt|auf viren|"
    "sans virus|libre de virus|senza virus|virusvrij|www.avast.com|www.avg.com|mailscanner|antivirus|"
    "before printing this|think before you print|consider the environment|environment before|bevor sie diese e-mail"
    " ausdrucken|avant d'imprimer|antes de imprimir|prima di stampare|denk aan het milieu"
).split("|")
_MACHINES_WORDS = ("this email", "this e-mail", "this message", "diese e-mail", "ce message", "cet e-mail", "este mensaje")
_LEGAL = (
    "confidential|privileged|intended only|intended solely|intended recipient|addressee|if you are not|if you have"
    " received|received this|in error|notify the sender|notify us|delete|disclos|dissemination|distribution|copying|"
    "prohibited|unlawful|legally|liabil|unauthorized|unauthorised|viruses|attachments|this e-mail|this email|"
    "this message|this communication|contents|disclaimer|"
    "vertraulich|rechtlich geschützt|richtige adressat|bestimmungsgemäß|irrtümlich|unbefugt|unerlaubte|vernichten|"
    "informieren sie|weitergabe|diese e-mail|nicht gestattet|empfänger|"
    "confidentiel|destinataire|par erreur|strictement interdit|immédiatement|ce message|pièces jointes|détruire|"
    "confidencial|destinatari|por error|prohibid|este mensaje|este correo|notif|elimin|divulga|por engano|proibid|"
    "esta mensagem|riservat|per errore|vietat|questo messaggio|questa e-mail|cancell|"
    "vertrouwelijk|geadresseerde|abusievelijk|dit bericht|deze e-mail|niet toegestaan|verwijder|"
    "konfidentiell|mottagar|av misstag|förbjud|fortrolig|modtager|ved en fejl|mottaker|ved en feil|slett|"
    "poufn|adresat|pomyłk|zabronion|niniejsza|důvěrn|adresát|omylem|bizalmas|címzett|tévedés|gizli|yanlışlıkla|alıcı|"
    "конфиденциальн|адресат|по ошибке|запрещен|получател|luottamuksel|vastaanottaj|erehdyk|"
    "機密|誤って|受信者|削除|保密|收件人|错误|刪除|删除"
).split("|")
_TITLES = frozenset(
    "disclaimer|confidentiality notice|confidentiality|legal notice|legal disclaimer|notice|privacy notice|"
    "haftungsausschluss|vertraulichkeitshinweis|hinweis|rechtlicher hinweis|avis de confidentialité|avis|clause de"
    " confidentialité|aviso legal|aviso de confidencialidad|aviso de confidencialidade|avviso di riservatezza|"
    "avvertenza|vertrouwelijkheid|confidentiality note|confidentiality statement|e-mail disclaimer|email disclaimer|"
    "important notice|legal".split("|")
)
LONGEST_READ = 4_000
LONGEST_HEAD = 300
MARKS_OF_A_NOTICE = 4


def banner_lines(lines: Sequence[str]) -> int:
    """How many lines at the top of a mail a server's warning takes; 0 where there is none.

    >>> banner_lines(["CAUTION: This email originated from outside of Acme. Do not click links.", "", "c1b1"])
    2
    >>> banner_lines(["Caution: I play c1 next.", ""])
    0
    """
    at = 0
    while at < len(lines) and not lines[at].strip():
        at += 1
    first = at
    if at == len(lines) or not lines[at].strip(" \t*[]_!<>#|\u26a0\ufe0f").lower().startswith(tuple(_BANNER_STARTS)):
        return 0
    head = lines[at].lower()[:LONGEST_READ]
    paragraph = " ".join(_paragraph(lines, at)[:LONGEST_BANNER]).lower()[:LONGEST_READ]
    tagged = head.strip(" *[]").startswith("external") and lines[at].strip().startswith(("[", "*["))
    if not (tagged and len(head) < 40) and sum(word in paragraph for word in _BANNER_WORDS) < 2:
        if sum(word in head for word in _BANNER_WORDS) < 1 or not _warns(head):
            return 0
    at += 1
    while at < len(lines) and at - first < LONGEST_BANNER and _goes_on(lines, at):
        at += 1
    while at < len(lines) and (not lines[at].strip() or not lines[at].strip(" -_=*")):
        at += 1
    return at


def _warns(head: str) -> bool:
    loud = ("originated", "outside", "learn why", "do not click", "don't often", "external email", "external sender")
    return any(word in head for word in loud)


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Whether the warning, wrapped, goes on in that line."""
    text = lines[at].strip().lower()[:LONGEST_READ]
    more = ("click", "attachment", "sender", "content is safe", "links", "organi", "recogni", "unless", "trust", "know")
    return bool(text) and (any(word in text for word in (*more, *_BANNER_WORDS)))


def notice_lines(lines: Sequence[str], number: int) -> int:
    """How many lines a legal notice takes that begins in that line: its paragraph; 0 where none begins.

    A person may well write about something confidential; it takes several of the phrases of lawyers together.
    """
    first = lines[number].strip()
    if _is_title(first):
        below = number + 1
        while below < len(lines) and below <= number + 2 and not lines[below].strip():
            below += 1
        taken = notice_lines(lines, below) if below < len(lines) and not _is_title(lines[below].strip()) else 0
        return below - number + taken if taken else 0
    if number and lines[number - 1].strip() and len(first) < 100 and not _is_title(lines[number - 1].strip()):
        return 0  # it would begin a paragraph
    head = first[:LONGEST_HEAD].lower()
    if not any(phrase in head for phrase in (*_LEGAL, *_SCAN)):
        return 0
    paragraph = _paragraph(lines, number)
    text = " ".join(paragraph).lower()[:LONGEST_READ]
    if any(phrase in text for phrase in _SCAN) and (len(text) < 300 or text.startswith(_MACHINES_WORDS)):
        return len(paragraph)
    if len(text) >= 60 and sum(phrase in text for phrase in _LEGAL) >= MARKS_OF_A_NOTICE:
        return len(paragraph)
    return 0


def _is_title(line: str) -> bool:
    return line.strip(" *_:-#=").lower() in _TITLES


def _paragraph(lines: Sequence[str], number: int) -> list[str]:
    """The lines from there to the next blank one, a bounded number of them."""
    found = []
    for line in lines[number : number + 30]:
        if not line.strip():
            break
        found.append(line[:LONGEST_READ])
    return found
