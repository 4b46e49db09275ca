"""What every rules page promises, its pictures, and the names of the game."""

import re
from collections.abc import Collection

from markdown_it import MarkdownIt

from engines.core import BadOption, IllegalMove
from notation.core import BadNotation
from notation.games import API, GAMES, KEY, GamePack
from notation.illustrations import BadIllustration, of
from pbem.conformance import require
from pbem.conformance.turn_texts import acting, is_turn
from pbem.features.accounts import name_rules
from pbem.features.all import FEATURES
from pbem.messages.templating import WIDTH

SUMMARY = 54
TITLE = 24
RESERVED = name_rules.RESERVED | {"rules", "site", "all", "any", "none", "house", "yes", "no", "me", "you", "random"}
"""Words that stand for something else where the key of a game is written."""
TAKEN = frozenset(
    {"time", "begin", "rated", "level", "weekends", "days", "repeat", "rating", "places", "called", "nag"}
)
"""Options that messages have for every game."""


def the_page_has_title_designer_and_year(pack: GamePack, seed: int = 0) -> None:
    """The rules page begins with the title in capitals, underlined, and with who designed the game when."""
    title, line, designed, *_ = [*_lines(pack), "", "", ""]
    is_heading = title.startswith(pack.title.upper()) and line == "=" * len(title)
    require(is_heading, f"The rules page doesn't begin with {pack.title.upper()}, underlined by as many =.")
    require(
        re.fullmatch(r".+, .*[0-9].*", designed),
        f'Below the title, the rules page must say who designed the game when ("Mark Steere, 1992"), not "{designed}".',
    )


def the_page_names_every_option(pack: GamePack, seed: int = 0) -> None:
    """The rules page explains each option and its choices, as name=choice."""
    page = pack.page
    for option in pack.game.options:
        for choice in option.choices[:1] if "..." in option.spelled else option.choices:
            require(f"{option.name}={choice}" in page, f"The rules page doesn't say what {option.name}={choice} means.")


def the_page_fits_into_a_message(pack: GamePack, seed: int = 0) -> None:
    """The rules page is ASCII, at most 72 columns wide, and no line of it is a command when it is quoted."""
    lines = _lines(pack)
    for number, line in enumerate(lines, start=1):
        require(line.isascii(), f"Line {number} of the rules page isn't ASCII: {line}")
        require(line == line.rstrip(), f"Line {number} of the rules page ends in spaces.")
        require(len(line) <= WIDTH, f"Line {number} of the rules page is longer than {WIDTH} columns.")
    for line in acting(pack, [line for line in lines if not is_turn(pack, line)], None):
        require(False, f"A line of the rules page would act when it is quoted: {line}")


def the_page_is_plain_markdown(pack: GamePack, seed: int = 0) -> None:
    """The rules page is Markdown with headings, paragraphs, lists and indented boards, and nothing else."""
    lines = _lines(pack)
    tokens = MarkdownIt("commonmark").parse("\n".join(lines))
    odd = {token.tag for token in tokens if token.tag} - {"h1", "p", "ol", "ul", "li", "code"}
    require(not odd, f"The rules page has Markdown that it can't have: {', '.join(sorted(odd))}.")
    shown = "".join(token.content for token in tokens if token.type == "code_block").splitlines()
    require(
        [line.strip() for line in shown if line] == [line.strip() for line in lines if line[:6] == " " * 6],
        "Boards and examples on the rules page must be indented by six spaces, with an empty line above, and"
        " nothing else may be.",
    )


def the_pictures_are_true(pack: GamePack, seed: int = 0) -> None:
    """The pictures of the rules page show what legal turns lead to, below headings that it has."""
    headings = re.findall(r"^(.+)\n=+$", pack.page, re.MULTILINE)
    try:
        pictures = of(pack)
    except (BadIllustration, BadNotation, BadOption, IllegalMove, ValueError, KeyError, TypeError) as error:
        require(False, f"A picture of the rules page can't be made: {type(error).__name__}: {error}.")
        return
    for picture in pictures:
        require(picture.below in headings, f'The rules page has no heading "{picture.below}" for a picture.')
        require(picture.caption.endswith("."), f'The caption "{picture.caption}" isn\'t a sentence.')
        for turn in picture.refused:
            try:
                picture.position.play(pack.notation.parse(turn))
            except IllegalMove:
                continue
            require(False, f'A picture calls {turn} forbidden, but it can be played: "{picture.caption}"')


def its_names_are_its_own(pack: GamePack, seed: int = 0) -> None:
    """Key, title and options mean nothing else in a message."""
    game = pack.game
    require_free(game.key)
    others = {other.title.lower() for key, other in GAMES.items() if key != game.key}
    title = game.title.lower()
    require(title not in _commands() | RESERVED | others, f'The title "{game.title}" means something else in messages.')
    is_short = 0 < len(game.title) <= TITLE and game.title.isascii()
    require(is_short, f"The title has more than {TITLE} characters, or odd ones.")
    names = [option.name for option in game.options]
    require(len(names) == len(set(names)), "Two options have the same name.")
    for option in game.options:
        require(option.name not in TAKEN, f"The option {option.name}= means something else in messages.")
        require(option.help and len(option.choices) > 1, f"The option {option.name} has no help, or no choice.")
        for word in (option.name, *option.choices):
            require(re.fullmatch(r"[a-z0-9][a-z0-9-]*", word), f"The option or choice {word!r} isn't one small word.")


def require_free(key: str, *, besides: Collection[str] = ()) -> None:
    """Raise Nonconforming if a game can't have the key; `besides` are those of other games."""
    require(
        re.fullmatch(KEY, key),
        f'"{key}" is no key of a game: use 2 to 20 small letters and digits, a letter first, perhaps with dashes.',
    )
    require(key not in _commands(), f'"{key}" is a command, and can\'t be the key of a game.')
    require(key not in RESERVED | FEATURES.preferences.keys(), f'"{key}" means something else in messages.')
    require(key not in besides, f'There is a game "{key}" already.')


def _commands() -> frozenset[str]:
    return frozenset(word for name, command in FEATURES.all_commands.items() for word in (name, *command.aliases))


def it_is_described(pack: GamePack, seed: int = 0) -> None:
    """The game has a short summary, two sides with names of one word, and a version."""
    game = pack.game
    length = len(game.summary)
    require(0 < length <= SUMMARY, f"The summary has {length} characters; it needs 1 to {SUMMARY}.")
    require(len(set(game.sides)) == len(game.sides) == 2, "The two sides have the same name.")
    for side in game.sides:
        require(re.fullmatch(r"[A-Z][A-Za-z]*", side), f"The side {side!r} isn't one word with a capital.")
    require(pack.api == API, f"The game is written for version {pack.api} of the interface, not for {API}.")
    versions = [pack.version, *(older.version for older in pack.older)]
    require(versions == sorted(set(versions), reverse=True), f"The versions {versions} don't go down from the newest.")
    for older in pack.older:
        require(older.game.key == game.key, f"Version {older.version} is of another game.")


def _lines(pack: GamePack) -> list[str]:
    try:
        return pack.page.splitlines()
    except OSError:
        require(False, f"There is no rules page {pack.rules / f'{pack.game.key}.md'}.")
        return []
