"""Why a turn of Quadrature is refused."""

from engines import core


class Reason(core.Reason):
    """Why a turn is refused."""

    GAME_OVER = "the game is over: {outcome}"
    OFF_BOARD = "{cell} is not on this board; its columns are a to k, its rows 1 to 11"
    EMPTY = "there is no man on {cell}; {instead}"
    OPPONENT = "the man on {cell} is {other}'s; {instead}"
    NOT_A_STEP = "{token} is not a step: a man goes one square forward, diagonally forward or sideways; {instead}"
    BACKWARD = "{token} goes backward, but {side}'s men go {way} or sideways; {instead}"
    OCCUPIED = "{holder} already has a man on {target}; {instead}"
    SQUARED = "{target} would complete a rectangle with {other}'s men on {corners}; {instead}"
    MARKER = "{token} goes sideways and squares nothing, but {side}'s marker already shows 2; {instead}"
