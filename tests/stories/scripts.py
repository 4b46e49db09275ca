"""The stories: functions that play what people write, from the first message to the last."""

from collections.abc import Callable
from email.message import EmailMessage

from notation import record
from pbem.cli.demo.playing import SAMPLE
from tests.bounces import dsn
from tests.correspondence import Correspondence, text


def first_match(letters: Correspondence) -> None:
    """Join, challenge, play the first turns, complete a partial turn, undo, make a slip, chat, and end the match."""
    letters.write("alice@mail.example", "join alice")
    letters.reply(letters.last("alice"), "yes")
    letters.join("bob")
    letters.reply(letters.received["alice@mail.example"][1], "challenge bob quadraphages first=o begin=you\n\nA game?")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("bob"), "c1b1 g9h9 3")
    letters.reply(letters.last("bob"), "1 c1b1 g9h9\n\nGood luck!\nYours, Bob\n-- \nBob, Bobtown")
    letters.reply(letters.last("alice"), "a7b7 i3i2 4")
    letters.reply(letters.last("alice"), "undo")
    letters.reply(letters.last("alice"), "A7-B7, I3 to I2; 3.")
    letters.reply(letters.last("alice"), "b7b4 i2f2")
    letters.reply(letters.last("bob"), "b1b4 h9e9 3 e9b9")
    letters.reply(letters.last("bob"), "b1e1 h9e9 0 e9b9 e1e4")
    letters.reply(letters.last("bob"), "say I need a day to think.")
    letters.reply(letters.last("alice"), "say Take your time.\nshow")
    letters.resign("bob", "resign\n\nI was wrong.")
    letters.reply(letters.last("bob"), "1 c1b1 g9h9")


def invitation(letters: Correspondence) -> None:
    """Invite someone new by address, who reads the rules, accepts under a name, and moves."""
    personal = letters.join("alice")
    letters.write("alice@mail.example", "hexaphages challenge alice carol@mail.example -first=x", to=personal)
    letters.reply(letters.last("carol"), "rules hexaphages")
    letters.reply(letters.received["carol@mail.example"][0], "accept caroline")
    letters.reply(letters.last("alice"), "1 e5g5 k7l8")
    letters.reply(letters.last("carol"), "g7h8 m5n6 6 n6b6 h8n2")


def unproven(letters: Correspondence) -> None:
    """Send new messages without a token: the server asks first, and only the confirmation acts."""
    letters.match()
    letters.write("alice@mail.example", "move 1 1 a7b7 i3i2\n\nHere we go.")
    letters.reply(letters.last("alice"), "yes")
    letters.write("bob@mail.example", "#1 resign")
    letters.reply(letters.last("bob"), "no, that was not me")
    letters.write("bob@mail.example", "", "quadraphages show 1")
    letters.write("alice@mail.example", "challenge nobody quadraphages")
    letters.write("mallory@mail.example", "#1 resign")


def looking(letters: Correspondence) -> None:
    """Use every command that shows or explains something."""
    letters.match("challenge bob quadraphages begin=you first=x")
    letters.reply(letters.last("bob"), "1 a7b7 i3i2")
    for words in ("games", "show 1", "record 1", "help", "help move", "help quadraphages", "help notation"):
        letters.reply(letters.received["alice@mail.example"][1], words)
    letters.reply(letters.received["alice@mail.example"][1], "rules quadraphages")
    letters.reply(letters.received["alice@mail.example"][1], "games bob\nhelp xyzzy\nrules chess")


def offers(letters: Correspondence) -> None:
    """Challenge, decline, withdraw, misspell."""
    personal = letters.join("alice")
    letters.join("bob")
    for words in (
        "challenge bob quadraphages",
        "challenge bob quadraphages colour=red",
        "challenge bob quadraphages first=z",
        "challenge bob checkers",
        "challenge bob hexaphages begin=you",
    ):
        letters.write("alice@mail.example", words, to=personal)
    letters.reply(letters.last("bob"), "decline\n\nNo time this week, sorry.")
    letters.write("alice@mail.example", "withdraw 1\naccept 2", to=personal)


def previews(letters: Correspondence) -> None:
    """Choose a turn step by step and play it, explore variations, make slips, and reply to old positions."""
    letters.match(challenge="challenge bob hexaphages")
    for words in ("preview", "preview 1 e5g5", "preview 1 e5g5 k3l4", "1 e5g5 k3l4"):
        letters.reply(letters.last("alice"), words)
    for words in ("preview g7h8 m5", "preview g7h8 m5n6 6", "g7h8 m5n6 1", "preview g3f2 h8", "preview g3f2 h8g9"):
        letters.reply(letters.last("bob"), words)
    letters.reply(letters.last("alice"), "preview g7h8 m5n6 1 g3f2 h8g9 / g5")
    letters.reply(letters.last("bob"), "g3f2 h8g9")
    letters.reply(letters.last("alice"), "preview g5a5 l4l4")
    letters.write("bob@mail.example", "preview 1#1 g7h8 m5n6 6 / g5")
    letters.reply(letters.received["bob@mail.example"][1], "show 1#1\nrecord 1#1\nshow 1#3")


def to_the_end(letters: Correspondence) -> None:
    """Play the second sample match of 2007 until the resignation."""
    letters.match(first="jx", second="bo", challenge="challenge bo quadraphages")
    sample = record.loads(SAMPLE.read_text(encoding="utf-8"))
    for number, turn in enumerate(sample.moves):
        letters.reply(letters.last(("jx", "bo")[number % 2]), turn)
    letters.resign("bo")


def slips(letters: Correspondence) -> None:
    """Make slips, and react to suggestions: yes, another turn, a choice, a misspelt command, a late reply."""
    letters.match("challenge bob quadraphages begin=me first=x")
    letters.reply(letters.last("alice"), "1 7a7b 3i2i")
    suggestion = letters.last("alice")
    letters.reply(suggestion, "yes\n\nSorry, I always mix them up.")
    letters.reply(suggestion, "yes")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h6")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
    letters.reply(letters.last("alice"), "b7d7 i2g2 1 d7d6 g2h1")
    letters.reply(letters.last("alice"), "b7d7 i2g2 1 d7d6 g2g1")
    letters.reply(letters.last("bob"), "yes")
    personal = letters.received["alice@mail.example"][1]
    letters.reply(personal, "chalenge bob quadraphages begin=you\n\nAnother one?")
    letters.reply(letters.last("alice"), "Yes!")
    letters.reply(letters.received["alice@mail.example"][1], "games\nacept 2")


def giving_up(letters: Correspondence) -> None:
    """Resign: the server asks, and gets a no, a maybe and a yes. The rest of the message waits for the answer too."""
    letters.match("challenge bob quadrature")
    begun = letters.last("alice")
    letters.reply(begun, "resign")
    letters.reply(letters.last("alice"), "no, not yet")
    letters.reply(begun, "resign\n\nThis is lost.")
    letters.reply(letters.last("alice"), "Hm, what was that?")
    letters.reply(letters.last("alice"), "yes")
    letters.reply(letters.last("bob"), "resign")


def old_words(letters: Correspondence) -> None:
    """Write as on Richard Rognlie's server, with userid and password."""
    letters.join("bob")
    letters.write("alice@mail.example", subject="signup alice swordfish")
    letters.reply(letters.last("alice"), "yes")
    personal = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    def write(subject: str, body: str = "") -> None:
        letters.write("alice@mail.example", body, subject, to=personal)

    write("quadraphages challenge alice bob -first=x")
    letters.reply(letters.last("bob"), "accept")
    write("quadraphages move 1 alice swordfish 1,a7b7,i3i2#1", "Good luck!")
    write("quadraphages move 1 alice swordfish 1,a7b7,i3i2#1")
    write("quadraphages chat 1 alice swordfish", "Take your time.")
    write("all show alice next")
    write("multiple", "quadraphages show 1\nquadraphages standings\nbroadcast alice swordfish")
    write("quadraphages queue 1 alice swordfish b7b4,i2f2")
    write("quadraphages queue 1 alice swordfish b7c7,i2h2,1,c7c6,h2h1")
    write("change password alice swordfish mackerel")
    write("quadraphages resign 1 alice swordfish")
    letters.reply(letters.last("alice"), "yes")


def leaving(letters: Correspondence) -> None:
    """Let alice export her data, hesitate, and leave: bob wins their match, and she is a stranger."""
    letters.match("challenge bob kvadratik")
    letters.reply(letters.last("bob"), "setup +x+x\n\nGood luck, alice!")
    letters.reply(letters.received["alice@mail.example"][1], "export me")
    letters.reply(letters.received["alice@mail.example"][1], "delete me")
    letters.reply(letters.last("alice"), "no")
    letters.reply(letters.received["alice@mail.example"][1], "delete alice swordfish\n\nGood-bye to all of you.")
    letters.reply(letters.last("alice"), "yes")
    letters.reply(letters.last("bob"), "games")
    letters.reply(letters.received["alice@mail.example"][1], "games")


def batch(letters: Correspondence) -> None:
    """Let bob batch the news of a quarter of an hour; three commands get one reply."""
    letters.match()
    personal = letters.write("alice@mail.example", "challenge bob kvadratik begin=you")
    letters.reply(personal[0], "yes")
    letters.reply(letters.received["bob@mail.example"][1], "set mail batch\naccept 2\nshow 2")
    letters.reply(letters.received["alice@mail.example"][3], "#1 1 a7b7 i3i2\n\nHere we go!")
    letters.wait(minutes=5)
    letters.reply(letters.last("alice"), "#2 say Whenever you like.")
    letters.wait(minutes=9)
    letters.wait(minutes=1)
    letters.reply(letters.last("bob"), "c1b1 g9h9 3 b1b4 h9e9")
    letters.reply(letters.last("bob"), "set receipt off\n#1 c1b1 g9h9 3 b1b4 h9e9\n#2 setup +x+x")
    letters.reply(letters.last("alice"), "#2 setup x+x+")
    letters.wait(minutes=15)
    letters.reply(letters.last("bob"), "enter a4a3")
    letters.write("alice@mail.example", "games")


def daily(letters: Correspondence) -> None:
    """Let alice choose one message a day, at eight in Vienna, and reply to it: at once, too late, and for one match."""
    personal = letters.join("alice")
    for name, game in (("bob", "quadraphages"), ("carol", "kvadratik"), ("dave", "hexaphages")):
        theirs = letters.join(name)
        letters.write(f"{name}@mail.example", f"challenge alice {game} begin=me\n\nHello Alice!", to=theirs)
    letters.write("alice@mail.example", "set mail daily zone=Europe/Vienna\naccept 1\naccept 2", to=personal)
    letters.reply(letters.last("bob"), "1 a7b7 i3i2\n\nYour turn, Alice.")
    letters.wait(hours=1)
    letters.reply(letters.last("carol"), "setup ++++\n\nI like crosses.")
    letters.write("dave@mail.example", "#3 withdraw", to=str(letters.last("dave")["Reply-To"].addresses[0].addr_spec))
    letters.wait(hours=22, minutes=1)
    news = letters.last("alice")
    letters.reply(news, "c1b1 g9h9 3 b1b4 h9e9")
    letters.reply(news, "#1 c1b1 g9h9 3 b1b4 h9e9\n#2 setup xxxx\n\nGood morning!")
    letters.reply(letters.last("bob"), "b7e7 i2i5 1 e7e6 i5i4")
    letters.reply(letters.last("bob"), "say Quick, wasn't I?")
    letters.reply(news, "#1 c1b1 g9h9 3 b1b4 h9e9")
    letters.wait(days=1)
    letters.reply(letters.last("alice"), "b4b3 e9e8 1 b3b2 e8f8")


def stopped(letters: Correspondence) -> None:
    """Let alice unsubscribe by the link that mail programs offer, miss some news, and come back."""
    letters.match()
    stop = str(letters.last("alice")["List-Unsubscribe"]).removeprefix("<mailto:").partition("?")[0]
    letters.write("alice@mail.example", "", "stop", to=stop)
    letters.write("alice@mail.example", "#1 resign", to=stop)
    letters.reply(letters.last("alice"), "no")
    letters.write("bob@mail.example", "#1 say Are you there?", to=personal_of(letters, "bob"))
    letters.write("bob@mail.example", "challenge alice kvadratik", to=personal_of(letters, "bob"))
    letters.wait(days=3)
    letters.write("alice@mail.example", "start", to=personal_of(letters, "alice"))
    letters.write("alice@mail.example", "signoff", to=personal_of(letters, "alice"))
    letters.write("alice@mail.example", "#1 1 a7b7 i3i2", to=personal_of(letters, "alice"))


def personal_of(letters: Correspondence, name: str) -> str:
    """Return the personal address in the player's welcome message."""
    welcome = next(mail for mail in letters.received[f"{name}@mail.example"] if "Welcome" in str(mail["Subject"]))
    return next(line.strip() for line in text(welcome).splitlines() if "games+" in line)


def addresses(letters: Correspondence) -> None:
    """Revoke reply addresses, ask for a change of address, and let an address become unreachable."""
    letters.match()
    letters.reply(letters.last("alice"), "revoke")
    letters.reply(letters.last("alice"), "yes")
    letters.write("alice@mail.example", "change address alice@new.example", to=_personal(letters.last("alice")))
    letters.reply(letters.last("alice"), "yes")
    letters.reply(letters.received["alice@new.example"][-1], "yes")
    letters.write("alice@new.example", "#1 1 a7b7 i3i2", to=_personal(letters.received["alice@new.example"][-1]))
    turn = letters.last("bob")
    for days in (2, 4, 6):
        letters.wait(days=days)
        letters.deliver(f"Message-ID: <{days}@mail.example>\n".encode() + dsn(letters.carried(turn)))
    letters.reply(turn, "games")


def _personal(mail: EmailMessage) -> str:
    """Return the personal address in a message."""
    return next(line.strip() for line in text(mail).splitlines() if "games+" in line)


def agreeing(letters: Correspondence) -> None:
    """Offer a draw with a turn, take turns back, pause, mute, cancel without a result, and play a rematch."""
    letters.match("challenge bob quadrature")
    letters.reply(letters.last("alice"), "draw\ne3f4\n\nWhat do you say?")
    letters.reply(letters.last("bob"), "reject draw\n\nNot yet.")
    letters.reply(letters.last("alice"), "draw")
    letters.reply(letters.last("bob"), "e9f8")
    undone = letters.last("alice")
    letters.reply(undone, "undo\n\nI meant another man, sorry.")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "e3d4")
    letters.reply(letters.last("bob"), "e9d8")
    letters.reply(undone, "f3g4")
    letters.reply(letters.last("alice"), "pause")
    letters.reply(letters.last("bob"), "accept pause")
    letters.reply(letters.last("alice"), "resume")
    letters.reply(letters.last("bob"), "cancel")
    letters.reply(letters.last("alice"), "undo\nwithdraw undo")
    letters.reply(letters.last("bob"), "mute")
    letters.reply(letters.last("alice"), "draw")
    letters.reply(letters.last("alice"), "record 1 full")
    letters.reply(letters.last("alice"), "accept cancel")
    letters.reply(letters.last("bob"), "rematch")
    letters.reply(letters.last("alice"), "rematch 1")
    letters.reply(letters.last("bob"), "undo\ndraw 1")


def time(letters: Correspondence) -> None:
    """Agree on a time control, see how much is left, be overdue, claim the match, and play a rematch."""
    alice = letters.join("alice")
    bob = letters.join("bob")
    letters.write("bob@mail.example", "set zone Europe/Vienna", to=bob)
    letters.write("alice@mail.example", "challenge bob quadrature time=5y", to=alice)
    letters.write("alice@mail.example", "challenge bob quadrature time=5d+12h<=7d", to=alice)
    letters.reply(letters.last("bob"), "accept")
    letters.run_for(hours=30)
    letters.reply(letters.last("alice"), "e3f4")
    letters.run_for(minutes=10)
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("alice"), "pause")
    letters.reply(letters.last("bob"), "accept pause")
    letters.run_for(days=9)
    letters.reply(letters.last("alice"), "b3b4")
    letters.write("bob@mail.example", "games\nshow 1", to=bob)
    letters.reply(letters.last("alice"), "claim")
    letters.run_for(days=6)
    told = letters.last("alice")
    letters.reply(told, "claim")
    letters.reply(letters.last("bob"), "rematch")
    letters.reply(letters.last("alice"), "accept")


def reminders(letters: Correspondence) -> None:
    """Choose when to be reminded, want entries for the calendar, answer a reminder, and get two in one message."""
    letters.match("challenge bob quadrature time=3d/move,nag=20h")
    bob = letters.received["bob@mail.example"][1]
    letters.reply(bob, "set remind 1 day\nset remind 50% 1d 6h 10% 5%")
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(bob, "set remind 50% 20h zone America/New_York calendar on")
    letters.run_for(hours=36)
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(bob, "challenge alice hexaphages time=3d/move,nag=20h begin=you")
    letters.reply(letters.last("alice"), "accept")
    letters.run_for(hours=20)
    letters.reply(letters.received["alice@mail.example"][1], "set remind off\n#1 b3b4")
    letters.run_for(hours=60)


def vacation(letters: Correspondence) -> None:
    """Agree on weekends off, choose other days off, go on vacation, come back early, and pause until a date."""
    alice = letters.join("alice")
    bob = letters.join("bob")
    letters.write("alice@mail.example", "challenge bob quadrature time=5d weekends=off", to=alice)
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "e3f4")
    letters.write("bob@mail.example", "set zone Europe/Vienna\nset days sun-thu", to=bob)
    letters.write("bob@mail.example", "vacation 2026-02-28 2026-03-03", to=bob)
    letters.write("bob@mail.example", "vacation 6w", to=bob)
    letters.write("bob@mail.example", "vacation 2026-03-04 2026-03-22", to=bob)
    letters.run_for(days=2)
    letters.write("bob@mail.example", "show 1", to=bob)
    letters.run_for(days=5)
    letters.write("bob@mail.example", "vacation off\n#1 e9f8", to=bob)
    letters.reply(letters.last("bob"), "pause 2026-03-16")
    letters.reply(letters.last("alice"), "accept")
    letters.run_for(days=7)
    letters.write("bob@mail.example", "vacation", to=bob)


def foreseeing(letters: Correspondence) -> None:
    """Prepare a tree, see it played and void, slip in it, list and cancel it, queue a turn, and meet an offer."""
    letters.match("challenge bob quadrature")
    letters.reply(
        letters.last("alice"), "e3f4\nif e9f8 then f3g4 then if f9g8\nthen g4h5\nif d9d8 then b3b4\nelse c3c4"
    )
    letters.reply(letters.last("bob"), "e9f8\n\nYour move!")
    letters.reply(letters.last("alice"), "conditions")
    letters.reply(letters.last("bob"), "b9b8")
    letters.reply(letters.last("alice"), "c3c4\nif b8b7 then b3b4 then if b7b6 then c4c9")
    letters.reply(letters.last("alice"), "queue d3d4")
    letters.reply(letters.last("alice"), "if b8b7 then d3e4")
    letters.reply(letters.last("alice"), "cancel conditions 1\nconditions")
    letters.reply(letters.last("alice"), "if b8b7 then d3e4 then if c9c8 then b3b4")
    letters.reply(letters.last("bob"), "b8b7\nif d3e4 then c9c8 then if b3b4 then d9d8\n\nI know what you will do.")
    letters.reply(letters.last("alice"), "if f8f7 then c4c5")
    letters.reply(letters.last("alice"), "e4e5\nqueue b4b5")
    letters.reply(letters.last("bob"), "draw\nd8d7")
    letters.reply(letters.last("alice"), "reject draw\nset automove on\nb4b5\nelse i3i4")
    letters.reply(letters.last("alice"), "yes")
    letters.reply(letters.last("bob"), "undo")
    letters.reply(letters.last("alice"), "accept")
    letters.reply(letters.last("alice"), "if nothing else, you play well")


def seeking(letters: Correspondence) -> None:
    """Put up seeks, slip in them, list them, take one, come too late, take one back, and let one end by itself."""
    alice, bob, carol = (letters.join(name) for name in ("alice", "bob", "carol"))

    def write(sender: str, to: str, body: str) -> None:
        letters.write(f"{sender}@mail.example", body, to=to)

    write("alice", alice, "seeks\nseek")
    write("alice", alice, "seek quadrupel time=14d+1d quickly")
    write("alice", alice, "seek quadrupel variant=combination time=14d+1d rated\nseek quadrature begin=you standing")
    write("alice", alice, "seek quadrature standing begin=you")
    write("bob", bob, "seeks\nseeks kvadratik\nseeks quadrupel time=14d+1d")
    write("bob", bob, "take 1\n\nHello Alice!")
    letters.reply(letters.last("alice"), "setup 1234")
    write("carol", carol, "take 1")
    write("carol", carol, "take 2\ntake 9")
    write("alice", alice, "take 2")
    letters.join("dave")
    write("bob", bob, "seek hexaphages repeat=11")
    write("bob", bob, "seek hexaphages repeat=3 begin=you\nseek kvadratik")
    write("bob", bob, "unseek")
    write("bob", bob, "cancel seek 4\nunseek 2")
    write("bob", bob, "seek kvadratik rating=1700-1900")
    write("carol", carol, "seeks kvadratik rating=+-300\ntake 5")
    write("bob", bob, "unseek 5")
    letters.write("carol@mail.example", "take 3")
    letters.reply(letters.last("carol"), "yes")
    letters.wait(days=29)
    letters.reply(letters.last("alice"), "seek quadrature begin=you time=none repeat=9")


def neighbours(letters: Correspondence) -> None:
    """Be listed, look at players and their matches, block one, reject a game, and set a limit."""
    letters.match("challenge bob quadrupel begin=you")
    alice, bob = personal_of(letters, "alice"), personal_of(letters, "bob")
    carol = letters.join("carol")

    def write(sender: str, to: str, body: str) -> None:
        letters.write(f"{sender}@mail.example", body, to=to)

    write("alice", alice, "who")
    write("alice", alice, "set listed on\nwho\nwhois nobody")
    letters.wait(hours=5)
    letters.reply(letters.last("bob"), "d2d1")
    letters.resign("alice")
    write("alice", alice, "vacation 10d")
    write("bob", bob, "whois alice\nhistory\nhistory alice bob\nhistory bob 2")
    write("carol", carol, "challenge bob quadrupel\nseek kvadratik")
    write("bob", bob, "challenge carol quadrature\nblock carol\nseeks")
    write("carol", carol, "challenge bob quadrupel")
    write("bob", bob, "challenge carol quadrupel")
    write("bob", bob, "take 1")
    write("bob", bob, "unblock carol\ntake 1")
    write("carol", carol, "reject hexaphages\nreject kvadratik\nlimit 1")
    write("bob", bob, "challenge carol hexaphages")
    write("bob", bob, "challenge carol@mail.example hexaphages")
    write("carol", carol, "accept hexaphages\nlimit none\nblock bob\nset")
    write("carol", carol, "export me")


def watching(letters: Correspondence) -> None:
    """Watch a match whose players allow it one by one, a turn late at first; answer, take back, and stop watching."""
    letters.match("challenge bob quadrature")
    personal = {name: personal_of(letters, name) for name in ("alice", "bob")}
    personal |= {name: letters.join(name) for name in ("carol", "dave")}

    def write(name: str, body: str) -> list[EmailMessage]:
        return letters.write(f"{name}@mail.example", body, to=personal[name])

    letters.write("mallory@far.example", "watch 1")
    write("carol", "watch 1\nshow 1")
    write("alice", "set watchers on")
    write("carol", "watch alice\nhelp watching")
    write("bob", "set watchers delayed")
    write("carol", "watch match #1")
    write("dave", "set mail batch\nwatch bob\nwatch tournament 7")
    write("alice", "#1 e3f4\n#1 if e9f8 then f3g4\n\nGood luck!")
    write("bob", "set watchers on")
    write("bob", "#1 e9e8\n#1 undo")
    letters.reply(letters.last("carol"), "f3g4\n\nThat's what I'd play.")
    write("alice", "#1 accept undo")
    letters.wait(minutes=20)
    write("carol", "watch")
    write("bob", "#1 e9f8")
    letters.reply(letters.last("carol"), "unwatch 1", quote=False)
    write("bob", "#1 f9g8")
    write("carol", "watch\nwatch 1")
    write("bob", "block dave")
    write("dave", "show 1\ngames bob")
    (question,) = write("alice", "#1 resign")
    letters.reply(question, "yes")
    write("carol", "record 1\nunwatch\nunwatch 1")


def alone(letters: Correspondence) -> None:
    """Play against the house from the first message on, undo, offer a draw too early, and take revenge."""
    letters.write("carol@mail.example", "play kvadratik level=1")
    letters.reply(letters.last("carol"), "yes")
    letters.reply(letters.last("carol"), "hint")
    letters.reply(letters.last("carol"), "setup +x+x")
    letters.reply(letters.last("carol"), "undo")
    letters.reply(letters.last("carol"), "setup x+x+\n\nGood luck!")
    letters.reply(letters.last("carol"), "draw")
    letters.reply(letters.last("carol"), "help house")
    letters.resign("carol")
    letters.reply(letters.last("carol"), "rematch")


def misunderstood(letters: Correspondence) -> None:
    """Come without knowing a word of ours, write plain sentences, slip, and play the first match to its end."""
    letters.write("zed@mail.example", "Hello, I'd like to play some games with you")
    for words in (
        "Mary Jane Watson",
        "yes",
        "play kvadratik at level 1",
        "setup",
        "setup xxxxx",
        "setup ++++",
        "Where can I move?",
        "flip a4, a4 to b3",
        "yes",
        "How do I win?",
        "yes",
        "Thanks, that was helpful",
        "OK, I give up!",
        "yes",
        "yes",
        "well played!",
        "no more emails please",
        "yes",
    ):
        letters.reply(letters.last("zed"), words)


def analysing(letters: Correspondence) -> None:
    """Ask for an analysis too soon, then after the match, then again, and let the opponent have it too."""
    letters.match("challenge bob kvadratik")
    letters.reply(letters.last("alice"), "setup +x+x")
    letters.reply(letters.last("bob"), "setup ++++")
    letters.reply(letters.last("alice"), "analyse")
    letters.reply(letters.last("alice"), "a4a3")
    letters.reply(letters.last("bob"), "b1b2")
    letters.resign("alice")
    letters.reply(letters.last("alice"), "analyse")
    letters.reply(letters.received["bob@mail.example"][1], "set board words")
    letters.reply(letters.last("bob"), "analyse 1")
    letters.reply(letters.received["alice@mail.example"][1], "analyze 1\nhelp analyse")


def ranking(letters: Correspondence) -> None:
    """Play a rated match, look at the standings before and after it, and after its week, and get a bulletin."""
    letters.match("challenge bob quadrature rated")
    alice = personal_of(letters, "alice")
    letters.write("alice@mail.example", "set bulletin on", to=alice)
    letters.write("alice@mail.example", "standings", to=alice)
    letters.reply(letters.last("alice"), "#1 e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    letters.resign("bob")
    letters.write("alice@mail.example", "standings", to=alice)
    letters.run_for(days=8)
    letters.write("alice@mail.example", "standings\nstandings quadrature\nwhois bob\nhelp ratings", to=alice)


def competing(letters: Correspondence) -> None:
    """Open, list, enter and leave tournaments; play a round robin, and a knock-out from which somebody withdraws."""
    names = ("alice", "bob", "carol", "dave")
    personal = {name: letters.join(name) for name in names}

    def write(name: str, body: str) -> list[EmailMessage]:
        return letters.write(f"{name}@mail.example", body, to=personal[name])

    def resign(name: str, match: int) -> None:
        (question,) = write(name, f"#{match} resign")
        letters.reply(question, "yes")

    write("alice", "tournaments\nhost round-robin kvadratik time=3d/move")
    letters.execute("update player set trusted = created where name = 'alice'")
    write("alice", "host round robin quadratik time=3d/move")
    write("alice", "host round robin kvadratik time=3d/move rated places=3 called Spring Cup")
    write("alice", "host knock-out quadrature time=14d+1d places=4")
    write("bob", "tournaments\ntournament 1\nhelp tournaments")
    for name in ("alice", "bob"):
        write(name, "enter 1")
    write("bob", "withdraw from tournament 1\nenter 1\nenter 1")
    write("carol", "enter 1")
    write("dave", "enter 1\ntournament 1")
    letters.reply(letters.last("bob"), "show 1\ngames")
    write("carol", "#1 setup +x+x\n#1 pause")
    write("carol", "#1 resign")
    letters.reply(letters.last("carol"), "yes")
    resign("alice", 2)
    resign("carol", 3)
    for name in names:
        write(name, "enter 2")
    write("dave", "tournament 2")
    write("dave", "#4 e3f4")
    write("dave", "#4 draw")
    write("alice", "#4 accept draw")
    write("bob", "withdraw from 2")
    letters.run_for(days=16)
    write("dave", "tournament 2\ntournaments")
    letters.run_for(days=16)


def climbing(letters: Correspondence) -> None:
    """Open a ladder, enter and climb it, win, draw and lose there, run out of time, leave, and enter again."""
    names = ("alice", "bob", "carol", "dave")
    personal = {name: letters.join(name) for name in names}

    def write(name: str, body: str) -> list[EmailMessage]:
        return letters.write(f"{name}@mail.example", body, to=personal[name])

    def resign(name: str, match: int) -> None:
        (question,) = write(name, f"#{match} resign")
        letters.reply(question, "yes")

    letters.execute("update player set trusted = created where name = 'alice'")
    write("alice", "host ladder kvadratik\nhost ladder kvadratik time=3d/move reach=50")
    write("alice", "host ladder kvadratik time=3d/move reach=2 together=1 rated called Long Ladder")
    for name in names:
        write(name, "enter 1")
    write("dave", "tournaments\ntournament 1\nhelp ladder")
    write("dave", "climb 1 alice\nchallenge bob on ladder 1")
    write("carol", "climb 1 bob\nladder 1")
    write("dave", "#1 pause")
    resign("bob", 1)
    write("bob", "tournament 1\nclimb 1 dave")
    write("bob", "climb 1 alice")
    write("bob", "#2 setup +x+x")
    write("carol", "climb 1 dave")
    letters.run_for(days=4)
    write("alice", "tournament 1\nenter 1\nenter 1")
    write("dave", "withdraw from ladder 1\ntournament 1")
    letters.run_for(days=4)
    write("dave", "enter 1\nretire 1")


def seasons(letters: Correspondence) -> None:
    """Play a season of a league with two groups, look at both, and let the next season follow from it."""
    names = ("alice", "bob", "carol", "dave", "erin", "fred")
    personal = {name: letters.join(name) for name in names}

    def write(name: str, body: str) -> list[EmailMessage]:
        return letters.write(f"{name}@mail.example", body, to=personal[name])

    letters.execute("update player set trusted = created where name = 'alice'")
    write("alice", "host league kvadratik time=3d/move group=3")
    write("alice", "host league kvadratik time=3d/move group=5 places=6 called Little League")
    for name in names:
        write(name, "enter 1")
    write("dave", "tournament 1\nhelp league")
    write("fred", "withdraw from league 1")
    for number in range(1, 7):
        ((last,),) = letters.execute(
            f"select max(player.name) from match join player on player.id in (seat0, seat1) where match.id = {number}"
        )
        (question,) = write(str(last), f"#{number} resign")
        letters.reply(question, "yes")
    write("alice", "tournament 1 2\ntournament 1 9\ntournaments")
    for name in ("dave", "alice", "erin"):
        write(name, "enter 2")
    letters.run_for(days=15)
    write("erin", "tournament 2")


def teams(letters: Correspondence) -> None:
    """Play a team match on two boards: open it, enter for the teams, draw and win, and read how it ended."""
    names = ("alice", "bob", "carol", "dave")
    personal = {name: letters.join(name) for name in names}

    def write(name: str, body: str) -> list[EmailMessage]:
        return letters.write(f"{name}@mail.example", body, to=personal[name])

    letters.execute("update player set trusted = created where name = 'alice'")
    write("alice", "host team quadrature boards=2 time=14d+1d called Cup")
    write("alice", "host team quadrature boards=2 time=14d+1d called Danube against Rhine")
    write("alice", "enter 1")
    write("alice", "enter 1 for the Danube")
    write("bob", "tournaments\nenter 1 for Elbe")
    write("bob", "enter 1 for Rhine\ntournament 1")
    write("carol", "enter team match 1 for Danube")
    write("dave", "enter 1 for Danube")
    write("dave", "help team\nenter 1 for Rhine")
    write("alice", "#1 b3a4")
    write("alice", "#1 draw")
    write("bob", "#1 accept draw")
    write("carol", "tournament 1")
    (question,) = write("carol", "#2 resign")
    letters.reply(question, "yes")
    write("alice", "tournament 1")


def moderating(letters: Correspondence) -> None:
    """Moderate by mail, as an admin who is no player: decide matches, close an account, and write to everybody."""
    letters.match("challenge bob kvadratik rated")
    letters.reply(letters.last("alice"), "setup +x+x")
    letters.reply(letters.last("bob"), "setup ++++")
    letters.reply(letters.received["bob@mail.example"][1], "challenge alice quadrature")
    letters.reply(letters.last("alice"), "accept")
    letters.join("carol")
    admin = "admin@pbem.example"
    letters.write("carol@mail.example", "ban bob\nhelp moderation")
    letters.write(admin, "help moderation")
    (listed,) = letters.write(admin, "players")
    personal = str(listed["Reply-To"].addresses[0].addr_spec)
    for words in (
        "close 2 Both asked for it.",
        "adjudicate #1 alice tell=yes Bob doesn't play on,\nand has written so.",
        "ban bob matches=lost Insults in #1",
    ):
        (question,) = letters.write(admin, words, to=personal)
        letters.reply(question, "yes")
    letters.write(admin, "ban bob\ngames", to=personal)
    (question,) = letters.write(admin, "unban bob", to=personal)
    letters.reply(question, "no")
    for words in (
        "unban bob tell=yes He has apologised.",
        "rename bob robert",
        "merge carol alice tell=yes You asked for it.",
        "announce Moving house\n\nWe move on Sunday.\n\nhelp is welcome: write to us.",
    ):
        (question,) = letters.write(admin, words, to=personal)
        letters.reply(question, "Yes")
    letters.wait(minutes=1)
    letters.write("carol@mail.example", "games", to=personal_of(letters, "carol"))
    letters.write(admin, "players banned\nplayers r\nacts robert", to=personal)


STORIES: dict[str, Callable[[Correspondence], None]] = {
    "first_match": first_match,
    "vacation": vacation,
    "invitation": invitation,
    "unproven": unproven,
    "looking": looking,
    "offers": offers,
    "previews": previews,
    "to_the_end": to_the_end,
    "slips": slips,
    "giving_up": giving_up,
    "old_words": old_words,
    "batch": batch,
    "daily": daily,
    "stopped": stopped,
    "addresses": addresses,
    "leaving": leaving,
    "agreeing": agreeing,
    "time": time,
    "reminders": reminders,
    "foreseeing": foreseeing,
    "seeking": seeking,
    "neighbours": neighbours,
    "ranking": ranking,
    "competing": competing,
    "watching": watching,
    "climbing": climbing,
    "seasons": seasons,
    "teams": teams,
    "alone": alone,
    "analysing": analysing,
    "moderating": moderating,
    "misunderstood": misunderstood,
}
SERVERS = {"moderating": 'admin = "admin@pbem.example"'}
"""What stands in [server] for stories that need more than the others."""
