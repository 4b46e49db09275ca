// Steps through the boards of a match, which are all on the page; without this script they stand one under another.
(() => {
  "use strict";
  const replay = document.querySelector(".replay");
  if (!replay) return;
  const boards = [...replay.querySelectorAll("figure")];
  const controls = replay.querySelector(".controls");
  const slider = controls.querySelector("input");
  const said = controls.querySelector(".said");
  const list = document.querySelector(".turns");
  const turns = [...list.querySelectorAll("a")];
  const button = (step) => controls.querySelector(`[data-step="${step}"]`);
  const last = boards.length - 1;
  const PAUSE = 1200;
  let now = last;
  let timer = 0;

  const wanted = () => {
    const number = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : last;
    return Math.min(Math.max(number, 0), last);
  };

  const show = (number, isChosen) => {
    now = Math.min(Math.max(number, 0), last);
    boards.forEach((board, at) => board.classList.toggle("now", at === now));
    for (const turn of list.querySelectorAll("[aria-current]")) turn.removeAttribute("aria-current");
    turns[now].setAttribute("aria-current", "true");
    list.scrollTop = turns[now].offsetTop - (list.clientHeight - turns[now].clientHeight) / 2;
    slider.value = String(now);
    const caption = boards[now].querySelector("figcaption").textContent.trim();
    slider.setAttribute("aria-valuetext", caption);
    for (const step of ["first", "back"]) button(step).setAttribute("aria-disabled", String(now === 0));
    for (const step of ["last", "on"]) button(step).setAttribute("aria-disabled", String(now === last));
    if (isChosen) {
      said.textContent = "";
      history.replaceState(null, "", `#${now}`);
    }
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button("play").setAttribute("aria-pressed", "false");
    button("play").setAttribute("aria-label", "Play");
    button("play").textContent = "▶▶";
  };

  const play = () => {
    if (timer) return stop();
    if (now === last) show(0, true);
    button("play").setAttribute("aria-pressed", "true");
    button("play").setAttribute("aria-label", "Pause");
    button("play").textContent = "❚❚";
    timer = setInterval(() => {
      show(now + 1, true);
      if (now === last) stop();
    }, PAUSE);
  };

  const share = async () => {
    const board = boards[now];
    const text = `${document.title}\n${board.querySelector("figcaption").textContent.trim()}\n\n`
      + `${board.querySelector("pre").textContent}\n${location.href.split("#")[0]}#${now}\n`;
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied.";
    } catch {
      const details = board.querySelector("details");
      details.open = true;
      getSelection().selectAllChildren(details.querySelector("pre"));
      said.textContent = "Select and copy the text below the board.";
    }
  };

  const steps = {
    first: () => show(0, true),
    back: () => show(now - 1, true),
    on: () => show(now + 1, true),
    last: () => show(last, true),
    play,
    share,
  };
  controls.addEventListener("click", (event) => {
    const step = event.target.closest("button")?.dataset.step;
    if (step && step !== "play") stop();
    if (step) steps[step]();
  });
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value), true);
  });
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" };
  document.addEventListener("keydown", (event) => {
    const taken = event.key === " " ? "a, button, input, summary" : "input";
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest(taken) || !(event.key in keys)) return;
    event.preventDefault();
    if (event.key !== " ") stop();
    steps[keys[event.key]]();
  });
  addEventListener("hashchange", () => show(wanted(), false));

  controls.hidden = false;
  replay.classList.add("replaying");
  show(wanted(), false);
})();
