"""Somebody forges a join, and the victim answers our question: nothing but a yes, the name or the command joins."""

from pbem.conversation import yes_or_no
from pbem.conversation.yes_or_no import Answer
from tests.correspondence import Correspondence

ANSWERS = """
Please don't write to me again. | Who are you and why do you write to me? | Your ticket 4711 has been created. | What?
I am away until Monday and read my mail then. | Please remove me from your list. | Unsubscribe | unsubscribe me please
STOP SENDING ME MAIL | I never asked for this. | Is this spam? | Spam! | Who gave you my address? | I don't understand.
What is this about? | ??? | Hm | Hello, what is Quadrupel? | I did not sign up for anything | wrong person | Not me!
Somebody must have used my address, please delete it. | This mailbox is not monitored. | Thank you for your message.
We have received your request and will get back to you. | Jo Smith | Jo | J. | Sim Lee | Da weiss ich nichts von
Tak for mailen, men jeg kender jer ikke | Si je comprends bien, on me demande quelque chose ? | Hai Nguyen | Ok?
Right, and who would that be? | Sure you have the right address? | Correct me if I'm wrong, but I didn't write that.
Exactly what do I have to do? | Yes, who is this? | Yes but I did not ask for it | Yeah right, another scam | ja und?
oui mais non | Sent from my iPhone | Best regards | Mit freundlichen Gr\u00fc\u00dfen | 4711 | +1 | :-) | --- | https://example.com
I will report this to the police | My lawyer will contact you | Kind regards, V. Miller | Hallo? | Wer sind Sie?
Bitte l\u00f6schen Sie meine Adresse | Je ne connais pas ce site | No entiendo | Nie rozumiem
\u041a\u0442\u043e \u0432\u044b? | Chi siete?
"""
OF_MACHINES = ("Your ticket", "We have received")


def test_none_of_sixty_answers_joins(letters: Correspondence) -> None:
    said = ANSWERS.strip().replace("\n", " | ").split(" | ")
    assert len(said) >= 60
    for number, answer in enumerate(said):
        victim = f"vica@host{number}.example"
        (question,) = letters.write(victim, ("join vica", "play quadrupel")[number % 2])
        told = letters.reply(question, answer)
        assert len(told) == (not answer.startswith(OF_MACHINES)), answer
        assert not told or yes_or_no.answer([answer]) is Answer.NO or not letters.reply(told[0], answer), answer

    assert letters.rows("select address from player where confirmed is not null") == []
