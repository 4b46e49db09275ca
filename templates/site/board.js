// Puts a turn together by tapping. It knows no game: only the tree of the legal turns that is on the page, where each
// choice has its text, the cell that it names, and the marks that it changes on the board.
(() => {
  "use strict";
  const told = document.getElementById("turns");
  if (!told) return;
  const { turns, marks, endings, mailto } = JSON.parse(told.textContent);
  const [TEXT, CELL, CHANGES, WHOLE, BRANCHES] = [0, 1, 2, 3, 4];
  const LISTED = 12;
  const page = document.querySelector(".tapping");
  const find = (selector) => page.querySelector(selector);
  const board = find("svg.board");
  const output = find(".chosen output");
  const choices = find(".choices");
  const whole = find(".whole");
  const send = find(".whole a");
  const said = find(".said");
  const form = find("form.send");

  const cells = [...board.querySelectorAll("[data-cell]")].map((group) => {
    const shape = group.querySelector("use");
    return {
      group,
      shape,
      name: group.dataset.cell,
      area: Number(group.dataset.area),
      first: shape.getAttribute("href"),
      mark: marks.findIndex((mark) => mark.id === group.dataset.mark),
      place: group.transform.baseVal.getItem(0).matrix,
    };
  });
  let path = [turns];
  let ending = "";
  let asked = -1; // the cell that was tapped and can be meant in several ways

  const last = () => path[path.length - 1];
  const branches = () => last()[BRANCHES] ?? [];
  const text = () => path.map((branch) => branch[TEXT]).join("").trim();
  const turn = () => (ending ? `${text()} ${ending}` : text());
  const label = (branch) => (branch[BRANCHES] ? branch[TEXT].trim().split(" ")[0] : branch[TEXT].trim());
  const atCell = (cell) => branches().filter((branch) => branch[CELL] === cell);

  const drawBoard = () => {
    const now = cells.map((cell) => cell.mark);
    const changed = new Set();
    for (const change of path.flatMap((branch) => branch[CHANGES])) {
      const cell = Math.floor(change / marks.length);
      now[cell] = change % marks.length;
      changed.add(cell);
    }
    const named = new Set(text().match(/[a-z]\d+/g));
    cells.forEach((cell, number) => {
      const mark = marks[now[number]];
      const canBe = atCell(number).length > 0;
      cell.shape.setAttribute("href", changed.has(number) ? `#${mark.looks[cell.area]}` : cell.first);
      cell.group.classList.toggle("taken", !mark.isEmpty);
      cell.group.classList.toggle("can", canBe);
      cell.group.classList.toggle("named", named.has(cell.name) || number === asked);
      cell.group.setAttribute("aria-label", `${cell.name}, ${mark.words}`);
      cell.group.setAttribute("aria-disabled", String(!canBe));
    });
  };

  const button = (words, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", act);
    return made;
  };

  const drawChoices = () => {
    const isListed = (branch) => (asked >= 0 ? branch[CELL] === asked : branch[CELL] < 0);
    const offered = branches().filter(isListed).map((branch) => button(label(branch), () => choose(branch)));
    if (last()[WHOLE]) {
      for (const each of endings) {
        const made = button(each, () => {
          ending = ending === each ? "" : each;
          draw(ending ? `With ${each}.` : `Without ${each}.`);
          [...choices.children].find((other) => other.textContent === each)?.focus();
        });
        made.setAttribute("aria-pressed", String(ending === each));
        offered.push(made);
      }
    }
    choices.replaceChildren(...offered);
  };

  const next = () => {
    const labels = (asked >= 0 ? atCell(asked) : branches()).map(label);
    const some = labels.slice(0, LISTED).join(", ") + (labels.length > LISTED ? ` and ${labels.length - LISTED} more` : "");
    if (last()[WHOLE]) return `The turn is whole.${some ? ` You can add: ${some}.` : ""}`;
    return asked >= 0 ? `${cells[asked].name} can be: ${some}.` : `Next: ${some}.`;
  };

  const draw = (words = "") => {
    drawBoard();
    drawChoices();
    output.textContent = turn() || "–";
    whole.hidden = !last()[WHOLE];
    send.href = mailto.endsWith("=") ? mailto + encodeURIComponent(turn()) : mailto;
    if (form && (words || !form.elements.turn.value)) form.elements.turn.value = last()[WHOLE] ? turn() : "";
    for (const act of ["undo", "restart"]) find(`[data-act="${act}"]`).disabled = path.length < 2 && asked < 0;
    said.textContent = [words, next()].filter(Boolean).join(" ");
  };

  const choose = (branch) => {
    path.push(branch);
    ending = "";
    asked = -1;
    draw(`Chosen: ${text()}.`);
    keepFocus(choices.querySelector("button"));
  };

  // What had the focus may be gone, or have nothing to do any more.
  const keepFocus = (wanted) => {
    const active = document.activeElement;
    if (page.contains(active) && !active.disabled && !active.closest("[hidden]")) return;
    (wanted ?? board.querySelector("[tabindex='0']")).focus({ preventScroll: true });
  };

  const tap = (cell) => {
    const meant = atCell(cell);
    focus(cell);
    if (meant.length === 1) return choose(meant[0]);
    asked = meant.length ? cell : -1;
    draw(meant.length ? "" : `${cells[cell].name} can't be chosen now.`);
  };

  const undo = () => {
    if (ending) ending = "";
    else if (asked >= 0) asked = -1;
    else if (path.length > 1) path.pop();
    draw(text() ? `Back to ${text()}.` : "Nothing is chosen.");
    keepFocus();
  };

  const restart = () => {
    path = [turns];
    ending = "";
    asked = -1;
    draw("Nothing is chosen.");
    keepFocus();
  };

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(turn());
      said.textContent = `Copied: ${turn()}`;
    } catch {
      getSelection().selectAllChildren(output);
      said.textContent = "Copy the turn that is selected.";
    }
  };

  // The board by keyboard: one cell can be reached by Tab, and arrows go on to the nearest one that way.
  const focus = (number) => {
    cells.forEach((cell, other) => cell.group.setAttribute("tabindex", other === number ? "0" : "-1"));
    cells[number].group.focus({ preventScroll: true });
  };

  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const beside = (number, [right, down]) => {
    const from = cells[number].place;
    let best = number;
    let least = Infinity;
    cells.forEach(({ place }, other) => {
      const [x, y] = [place.e - from.e, place.f - from.f];
      const ahead = x * right + y * down;
      const aside = Math.abs(x * down) + Math.abs(y * right);
      if (ahead > 1 && aside <= ahead && ahead + 2 * aside < least) [best, least] = [other, ahead + 2 * aside];
    });
    return best;
  };

  const numberOf = (target) => cells.findIndex((cell) => cell.group === target.closest?.("[data-cell]"));
  board.addEventListener("click", (event) => {
    const cell = numberOf(event.target);
    if (cell >= 0) tap(cell);
  });
  board.addEventListener("keydown", (event) => {
    const cell = numberOf(event.target);
    if (cell < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in ways) focus(beside(cell, ways[event.key]));
    else if (event.key === "Enter" || event.key === " ") tap(cell);
    else return;
    event.preventDefault();
  });
  page.addEventListener("keydown", (event) => {
    if (event.key !== "Backspace" || event.target.matches("input")) return;
    event.preventDefault();
    undo();
  });
  const acts = { undo, restart, copy };
  for (const [name, act] of Object.entries(acts)) find(`[data-act="${name}"]`).addEventListener("click", act);

  for (const cell of cells) {
    cell.group.setAttribute("role", "button");
    cell.group.setAttribute("tabindex", "-1");
  }
  cells[0].group.setAttribute("tabindex", "0");
  find(".taps").hidden = false;
  draw();
})();
