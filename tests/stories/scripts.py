"""The stories: functions that play what people write, from the first message to the last."""

from collections.abc import Callable

from tests.bounces import dsn
from tests.correspondence import Correspondence


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
    letters.join("alice")
    letters.say("alice", "hexaphages challenge alice carol@mail.example -first=x")
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
    for words in ("games", "show 1", "record 1", "help boards", "help move", "help quadraphages", "help notation"):
        letters.reply(letters.received["alice@mail.example"][1], words)
    letters.reply(letters.received["alice@mail.example"][1], "rules quadraphages")
    letters.reply(letters.received["alice@mail.example"][1], "games bob\nhelp xyzzy\nrules chess")


def offers(letters: Correspondence) -> None:
    """Challenge, decline, withdraw, misspell."""
    letters.join("alice")
    letters.join("bob")
    for words in (
        "challenge bob quadraphages",
        "challenge bob quadraphages colour=red",
        "challenge bob quadraphages first=z",
        "challenge bob checkers",
        "challenge bob hexaphages begin=you",
    ):
        letters.say("alice", words)
    letters.reply(letters.last("bob"), "decline\n\nNo time this week, sorry.")
    letters.say("alice", "withdraw 1\naccept 2")


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
    write("multiple", "quadraphages show 1\nquadraphages standings")
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
    letters.join("alice")
    for name, game in (("bob", "quadraphages"), ("carol", "kvadratik"), ("dave", "hexaphages")):
        theirs = letters.join(name)
        letters.write(f"{name}@mail.example", f"challenge alice {game} begin=me\n\nHello Alice!", to=theirs)
    letters.say("alice", "set mail daily zone=Europe/Vienna\naccept 1\naccept 2")
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
    letters.say("bob", "#1 say Are you there?")
    letters.say("bob", "challenge alice kvadratik")
    letters.wait(days=3)
    letters.say("alice", "start")
    letters.say("alice", "signoff")
    letters.say("alice", "#1 1 a7b7 i3i2")


def addresses(letters: Correspondence) -> None:
    """Revoke reply addresses, ask for a change of address, and let an address become unreachable."""
    letters.match()
    letters.reply(letters.last("alice"), "revoke")
    letters.reply(letters.last("alice"), "yes")
    letters.write("alice@mail.example", "change address alice@new.example", to=letters.personal("alice"))
    letters.reply(letters.last("alice"), "yes")
    letters.reply(letters.received["alice@new.example"][-1], "yes")
    letters.write("alice@new.example", "#1 1 a7b7 i3i2", to=letters.personal("alice"))
    turn = letters.last("bob")
    for days in (2, 4, 6):
        letters.wait(days=days)
        letters.deliver(f"Message-ID: <{days}@mail.example>\n".encode() + dsn(letters.carried(turn)))
    letters.reply(turn, "games")


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
    letters.reply(letters.last("alice"), "yes")
    letters.reply(letters.last("bob"), "rematch")
    letters.reply(letters.last("alice"), "rematch 1")
    letters.reply(letters.last("bob"), "undo\ndraw 1")


def time(letters: Correspondence) -> None:
    """Agree on a time control, see how much is left, be overdue, claim the match, and play a rematch."""
    letters.join("alice")
    letters.join("bob")
    letters.say("bob", "set zone Europe/Vienna")
    letters.say("alice", "challenge bob quadrature time=5y")
    letters.say("alice", "challenge bob quadrature time=5d+12h<=7d")
    letters.reply(letters.last("bob"), "accept")
    letters.run_for(hours=30)
    letters.reply(letters.last("alice"), "e3f4")
    letters.run_for(minutes=10)
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("alice"), "pause")
    letters.reply(letters.last("bob"), "accept pause")
    letters.run_for(days=9)
    letters.reply(letters.last("alice"), "b3b4")
    letters.say("bob", "games\nshow 1")
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
    letters.reply(bob, "set remind 50% 20h zone America/New_York")
    letters.run_for(hours=36)
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(bob, "challenge alice hexaphages time=3d/move,nag=20h begin=you")
    letters.reply(letters.last("alice"), "accept")
    letters.run_for(hours=20)
    letters.reply(letters.received["alice@mail.example"][1], "set remind off\n#1 b3b4")
    letters.run_for(hours=60)


def vacation(letters: Correspondence) -> None:
    """Agree on weekends off, choose other days off, go on vacation, come back early, and pause until a date."""
    letters.join("alice")
    letters.join("bob")
    letters.say("alice", "challenge bob quadrature time=5d weekends=off")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "e3f4")
    letters.say("bob", "set zone Europe/Vienna\nset days sun-thu")
    letters.say("bob", "vacation 2026-02-28 2026-03-03")
    letters.say("bob", "vacation 6w")
    letters.say("bob", "vacation 2026-03-04 2026-03-22")
    letters.run_for(days=2)
    letters.say("bob", "show 1")
    letters.run_for(days=5)
    letters.say("bob", "vacation off\n#1 e9f8")
    letters.reply(letters.last("bob"), "pause 2026-03-16")
    letters.reply(letters.last("alice"), "accept")
    letters.run_for(days=7)
    letters.say("bob", "vacation")


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
    for name in ("alice", "bob", "carol"):
        letters.join(name)

    letters.say("alice", "seeks\nseek")
    letters.say("alice", "seek quadrupel time=14d+1d quickly")
    letters.say("alice", "seek quadrupel variant=combination time=14d+1d rated\nseek quadrature begin=you standing")
    letters.say("alice", "seek quadrature standing begin=you")
    letters.say("bob", "seeks\nseeks kvadratik")
    letters.say("bob", "take 1\n\nHello Alice!")
    letters.reply(letters.last("alice"), "setup 1234")
    letters.say("carol", "take 1")
    letters.say("carol", "take 2\ntake 9")
    letters.say("alice", "take 2")
    letters.join("dave")
    letters.say("bob", "seek hexaphages repeat=11")
    letters.say("bob", "seek hexaphages repeat=3 begin=you\nseek kvadratik")
    letters.say("bob", "unseek")
    letters.say("bob", "cancel seek 4\nunseek 2")
    letters.say("bob", "seek kvadratik rating=1700-1900")
    letters.say("carol", "seeks kvadratik\ntake 5")
    letters.say("bob", "unseek 5")
    letters.write("carol@mail.example", "take 3")
    letters.reply(letters.last("carol"), "yes")
    letters.wait(days=29)
    letters.reply(letters.last("alice"), "seek quadrature begin=you time=none repeat=9")


def neighbours(letters: Correspondence) -> None:
    """Be listed, look at players and their matches, block one, reject a game, and set a limit."""
    letters.match("challenge bob quadrupel begin=you")
    letters.join("carol")

    letters.say("alice", "who")
    letters.say("alice", "set listed on\nwho\nwhois nobody")
    letters.wait(hours=5)
    letters.reply(letters.last("bob"), "d2d1")
    letters.resign("alice")
    letters.say("alice", "vacation 10d")
    letters.say("bob", "whois alice\nhistory\nhistory alice bob\nhistory bob 2")
    letters.say("carol", "challenge bob quadrupel\nseek kvadratik")
    letters.say("bob", "challenge carol quadrature\nblock carol\nseeks")
    letters.say("carol", "challenge bob quadrupel")
    letters.say("bob", "challenge carol quadrupel")
    letters.say("bob", "take 1")
    letters.say("bob", "unblock carol\ntake 1")
    letters.say("carol", "reject hexaphages\nreject kvadratik\nlimit 1")
    letters.say("bob", "challenge carol hexaphages")
    letters.say("bob", "challenge carol@mail.example hexaphages")
    letters.say("carol", "accept hexaphages\nlimit none\nblock bob\nset")
    letters.say("carol", "export me")


def watching(letters: Correspondence) -> None:
    """Watch a match whose players allow it one by one, a turn late at first; answer, take back, and stop watching."""
    letters.match("challenge bob quadrature")
    letters.join("carol")
    letters.join("dave")

    letters.write("mallory@far.example", "watch 1")
    letters.say("carol", "watch 1\nshow 1")
    letters.say("alice", "set watchers on")
    letters.say("carol", "watch alice")
    letters.say("carol", "help watching")
    letters.say("bob", "set watchers delayed")
    letters.say("carol", "watch match #1")
    letters.say("dave", "set mail batch\nwatch 1")
    letters.say("alice", "#1 e3f4\n#1 if e9f8 then f3g4\n\nGood luck!")
    letters.say("bob", "set watchers on")
    letters.say("bob", "#1 e9e8\n#1 undo")
    letters.reply(letters.last("carol"), "f3g4\n\nThat's what I'd play.")
    letters.say("alice", "#1 accept undo")
    letters.wait(minutes=20)
    letters.say("carol", "watch")
    letters.say("bob", "#1 e9f8")
    letters.reply(letters.last("carol"), "unwatch 1", quote=False)
    letters.say("bob", "#1 f9g8")
    letters.say("carol", "watch\nwatch 1")
    letters.say("bob", "block dave")
    letters.say("dave", "show 1\ngames bob")
    resign(letters, "alice", 1)
    letters.say("carol", "record 1\nunwatch\nunwatch 1")


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
        "yes",
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
    """Play a rated match, look at the standings before and after it, and after its week."""
    letters.match("challenge bob quadrature rated")
    letters.say("alice", "standings")
    letters.reply(letters.last("alice"), "#1 e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    letters.resign("bob")
    letters.say("alice", "standings")
    letters.run_for(days=8)
    letters.say("alice", "standings\nstandings quadrature\nwhois bob\nhelp ratings")


def competing(letters: Correspondence) -> None:
    """Open, list, enter and leave tournaments; play a round robin, and a knock-out from which somebody withdraws."""
    names = ("alice", "bob", "carol", "dave")
    for name in names:
        letters.join(name)
    letters.say("alice", "tournaments\nhost round-robin kvadratik time=3d/move")
    letters.execute("update player set trusted = created where name = 'alice'")
    letters.say("alice", "host round robin quadratik time=3d/move")
    letters.say("alice", "host round robin kvadratik time=3d/move rated places=3 called Spring Cup")
    letters.say("alice", "host knock-out quadrature time=14d+1d places=4")
    letters.say("bob", "tournaments\ntournament 1\nhelp tournaments")
    for name in ("alice", "bob"):
        letters.say(name, "enter 1")
    letters.say("bob", "withdraw from tournament 1\nenter 1\nenter 1")
    letters.say("carol", "enter 1")
    letters.say("dave", "enter 1\ntournament 1")
    letters.reply(letters.last("bob"), "show 1\ngames")
    letters.say("carol", "#1 setup +x+x\n#1 pause")
    resign(letters, "carol", 1)
    resign(letters, "alice", 2)
    resign(letters, "carol", 3)
    for name in names:
        letters.say(name, "enter 2")
    letters.say("dave", "tournament 2")
    letters.say("dave", "#4 e3f4")
    letters.say("dave", "#4 draw")
    letters.say("alice", "#4 accept draw")
    letters.reply(letters.last("alice"), "yes")
    letters.say("bob", "withdraw from 2")
    letters.run_for(days=16)
    letters.say("dave", "tournament 2\ntournaments")
    letters.run_for(days=16)


def climbing(letters: Correspondence) -> None:
    """Open a ladder, enter and climb it, win, draw and lose there, run out of time, leave, and enter again."""
    names = ("alice", "bob", "carol", "dave")
    for name in names:
        letters.join(name)
    letters.execute("update player set trusted = created where name = 'alice'")
    letters.say("alice", "host ladder kvadratik\nhost ladder kvadratik time=3d/move reach=50")
    letters.say("alice", "host ladder kvadratik time=3d/move reach=2 together=1 rated called Long Ladder")
    for name in names:
        letters.say(name, "enter 1")
    letters.say("dave", "tournaments\ntournament 1\nhelp ladder")
    letters.say("dave", "climb 1 alice\nchallenge bob on ladder 1")
    letters.say("carol", "climb 1 bob\nladder 1")
    letters.say("dave", "#1 pause")
    resign(letters, "bob", 1)
    letters.say("bob", "tournament 1\nclimb 1 dave")
    letters.say("bob", "climb 1 alice")
    letters.say("bob", "#2 setup +x+x")
    letters.say("carol", "climb 1 dave")
    letters.run_for(days=4)
    letters.say("alice", "tournament 1\nenter 1\nenter 1")
    letters.say("dave", "withdraw from ladder 1\ntournament 1")
    letters.run_for(days=4)
    letters.say("dave", "enter 1\nretire 1")


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
        "announce Moving house\n\nWe move on Sunday.\n\nhelp is welcome: write to us.",
    ):
        (question,) = letters.write(admin, words, to=personal)
        letters.reply(question, "Yes")
    letters.wait(minutes=1)
    letters.write(admin, "players banned\nplayers r\nacts robert", to=personal)


def resign(letters: Correspondence, name: str, match: int) -> None:
    """Let a player resign that match, and confirm it."""
    (question,) = letters.say(name, f"#{match} resign")
    letters.reply(question, "yes")


STORIES: dict[str, Callable[[Correspondence], None]] = {
    story.__name__: story
    for story in (
        *(first_match, vacation, invitation, unproven, looking, offers, previews),
        *(slips, giving_up, old_words, batch, daily, stopped, addresses, leaving),
        *(agreeing, time, reminders, foreseeing, seeking, neighbours, ranking, competing),
        *(watching, climbing, alone, analysing, moderating, misunderstood),
    )
}
SERVERS = {"moderating": 'admin = "admin@pbem.example"'}
"""What stands in [server] for stories that need more than the others."""
