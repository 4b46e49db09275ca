// Searches all matches: reads the lists that index.json names, the newest first, until there is enough to show.
// What is found is set as text, never as HTML; the form of the lists is described in schema.json.
"use strict";

(() => {
  const MOST = 50;
  const form = document.querySelector(".search");
  const found = document.querySelector(".found");
  const hits = document.querySelector(".hits");
  const rows = hits.querySelector("tbody");
  const more = hits.querySelector(".more");
  let search = new AbortController();

  async function loaded(path, signal) {
    const answer = await fetch(path, { signal, credentials: "omit" });
    if (!answer.ok) throw new Error(path);
    return answer.json();
  }

  async function* matches(wanted, signal) {
    const { folders } = await loaded("index.json", signal);
    for (const folder of folders.reverse()) {
      if (folder.last < wanted.from || (wanted.until && folder.first > wanted.until)) continue;
      const { matches } = await loaded(folder.path, signal);
      for (const match of matches.reverse()) if (fits(match, wanted)) yield match;
    }
  }

  function fits({ game, players, score, day }, { names, game: wantedGame, result, from, until }) {
    const seats = names.map((name) => players.findIndex((player) => player.page && player.name.toLowerCase() === name));
    if (seats.includes(-1) || new Set(seats).size < seats.length) return false;
    if ((wantedGame && game !== wantedGame) || day < from || (until && day > until)) return false;
    const winner = ["1-0", "0-1"].indexOf(score);
    switch (result) {
      case "won": return winner >= 0 && (seats[0] ?? winner) === winner;
      case "lost": return winner >= 0 && (seats[0] ?? 1 - winner) !== winner;
      case "drawn": return score === "=";
      case "running": return score === "*";
      case "none": return score === "-";
      default: return true;
    }
  }

  function link(text, href) {
    const made = document.createElement("a");
    made.textContent = text;
    made.href = href;
    return made;
  }

  function add(match) {
    const row = rows.insertRow();
    const cell = (kind, ...content) => {
      const made = row.insertCell();
      if (kind) made.className = kind;
      made.append(...content);
      return made;
    };
    const number = Number(match.number);
    const [first, second] = match.players.map(({ name, page }) => page ? link(name, `players/${encodeURIComponent(name)}.html`) : name);
    cell("", link(`#${number}`, `matches/${Math.floor(number / 1000)}/${number}.html`));
    cell("", match.game);
    cell("line", first, " – ", second);
    cell("below", match.result);
    cell("below number", String(match.turns)).dataset.label = "turns";
    cell("date", match.day);
  }

  async function show(next) {
    more.hidden = true;
    found.textContent = "Searching …";
    try {
      let last = { done: false };
      for (let count = 0; count < MOST && !last.done; count += 1) {
        last = await next();
        if (!last.done) add(last.value);
      }
      const count = rows.rows.length;
      hits.hidden = count === 0;
      more.hidden = last.done;
      found.textContent = count === 0 ? "No match was found. Write names in full." : `${last.done ? "All" : "The newest"} ${count} that fit:`;
    } catch (error) {
      if (error.name !== "AbortError") found.textContent = "The lists can’t be loaded. The links below lead to all matches.";
    }
  }

  function begin() {
    const wanted = Object.fromEntries(new FormData(form));
    wanted.names = wanted.player.toLowerCase().split(/[\s,–]+/).filter(Boolean);
    search.abort();
    search = new AbortController();
    rows.replaceChildren();
    const stream = matches(wanted, search.signal);
    more.onclick = () => show(() => stream.next());
    return show(() => stream.next());
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = [...new FormData(form)].filter(([, value]) => value);
    history.replaceState(null, "", `?${new URLSearchParams(chosen)}`);
    begin();
  });

  if (location.protocol === "file:") {
    found.textContent = "The search works once these pages are on a web server.";
    return;
  }
  form.hidden = false;
  const asked = [...new URLSearchParams(location.search)].filter(([name, value]) => value && form.elements.namedItem(name));
  for (const [name, value] of asked) form.elements.namedItem(name).value = value;
  if (asked.length) begin();
})();
