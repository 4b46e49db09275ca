"""A Diagram as text, exactly as the records print their boards."""

from engines.diagram import Diagram


def format_board(diagram: Diagram) -> str:
    """The board in plain characters, without a newline at the end.

    Square boards have one space between cells, row numbers at the right and letters below; hexagonal ones
    stand under their letters, every second one in a row, with the letters once more below.
    """
    width = len(diagram.columns)
    if diagram.shape == "hex":
        letters = "".join(diagram.columns)
        lines = [letters]
        for label, cells in diagram.rows:
            row = [" "] * width
            for name, mark in cells:
                row[diagram.columns.index(name.rstrip("0123456789"))] = mark
            lines.append(f"{''.join(row)} {label}")
        return "\n".join([*lines, letters])
    labels = max(len(label) for label, _ in diagram.rows)
    lines = [f"{' '.join(mark for _, mark in cells)}  {label:>{labels}}" for label, cells in diagram.rows]
    return "\n".join([*lines, " ".join(diagram.columns)])
