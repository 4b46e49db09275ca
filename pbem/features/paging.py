"""Pages of a long list, and the line that asks for the next one."""

from pbem.conversation.syntax.arguments import Given, Piece

SIZE = 25  # how many lines a page has
LAST_PAGE = 400
PAGE = Piece("PAGE", r"\d{1,12}", lambda text: min(max(int(text), 1), LAST_PAGE))


def following(command: str, given: Given, *, more: bool) -> str | None:
    """Return how to ask for the page after the one that a line asks for, if there is one.

    >>> from pbem.conversation.syntax.arguments import GAME, opt, words
    >>> following("seeks", words(opt(GAME), opt(PAGE)).read("quadrature"), more=True)
    'seeks quadrature 2'
    """
    others = (word for piece, words in given.kept.items() if piece is not PAGE for word in words)
    return page_after(" ".join((command, *others)), given.get(PAGE, 1), more=more)


def page_after(line: str, page: int, *, more: bool) -> str | None:
    return f"{line} {page + 1}" if more and page < LAST_PAGE else None
