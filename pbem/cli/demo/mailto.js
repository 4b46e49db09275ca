// Only in the demonstration: opens the form of a message here instead of a mail program, and tells of new messages.
(() => {
  "use strict";
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="mailto:"]');
    if (!link) return;
    event.preventDefault();
    const [to, query = ""] = link.getAttribute("href").slice("mailto:".length).split("?");
    location.href = `/mail/write?to=${encodeURIComponent(decodeURIComponent(to))}&${query.replaceAll("+", "%2B")}`;
  }, true);

  const link = document.createElement("a");
  link.href = "/mail/";
  link.textContent = "Mailbox";
  link.setAttribute("aria-live", "polite");
  Object.assign(link.style, {
    position: "fixed", right: "12px", bottom: "12px", zIndex: "9", padding: "8px 14px", borderRadius: "8px",
    font: "16px/1.5 sans-serif", background: "#1d5c4a",
  });
  link.style.setProperty("color", "#fff", "important"); // messages color their links so in the dark
  document.body.append(link);
  let known = -1;
  setInterval(async () => {
    const { newest } = await (await fetch("/mail/newest")).json();
    if (known >= 0 && newest > known) {
      link.href = `/mail/${newest}`;
      link.textContent = "A new message";
    }
    if (known < 0) known = newest;
  }, 1500);
})();
