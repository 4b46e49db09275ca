// Checks the signature of a record in the browser: nothing that is pasted or opened here leaves it.
(() => {
  "use strict";
  const form = document.querySelector(".verify");
  const said = form.querySelector("output");
  const keys = JSON.parse(form.dataset.keys);
  const KEY = 32;
  const SIGNATURE = 64;
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const base64 = (raw) => btoa(String.fromCharCode(...raw));

  // As RFC 8785 has it: the fields in order, without blanks.
  const canonical = (value) => {
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
  };

  const isSigned = async (content, signature, key) => {
    const made = await crypto.subtle.importKey("raw", bytes(key), { name: "Ed25519" }, false, ["verify"]);
    return crypto.subtle.verify({ name: "Ed25519" }, made, signature, content);
  };

  const record = async (text) => {
    const document = JSON.parse(text);
    const { signature, ...header } = document.header;
    if (!signature) return null;
    const content = new TextEncoder().encode(canonical({ ...document, header }));
    return {
      isWhole: await isSigned(content, bytes(signature.value), signature.key),
      key: signature.key,
      written: header["date-generated"],
      match: `match #${header.site.gameid}, ${header.game.name}: ${header.players.map((each) => each.name).join(" - ")}`,
      turns: document.moves.flat().filter(Boolean).length,
    };
  };

  const message = async (text) => {
    const found = /^X-PBeM-Record:((?:.*(?:\r?\n[ \t])?)*)/im.exec(text);
    if (!found) return null;
    const raw = bytes(found[1].replace(/\s/g, ""));
    const [key, signature] = [raw.slice(0, KEY), raw.slice(KEY, KEY + SIGNATURE)];
    const content = raw.slice(KEY + SIGNATURE);
    const isWhole = await isSigned(content, signature, base64(key));
    if (!isWhole) return { isWhole };
    const unpacked = new Blob([content]).stream().pipeThrough(new DecompressionStream("deflate"));
    const match = await new Response(unpacked).json();
    return {
      isWhole,
      key: base64(key),
      written: match.written,
      match: `match #${match.number}, ${match.game}: ${match.people.map((each) => each.name).join(" - ")}`,
      turns: match.turns.length,
      played: match.turns.map((turn, at) => `${at + 1}. ${turn.played.slice(0, 16).replace("T", " ")} UTC  ${turn.text}`),
    };
  };

  const sentence = (found) => {
    if (!found) return "This has no signature: open the game record (.json) or the message with all its headers.";
    if (!found.isWhole) return "Not genuine: this was changed since it was signed.";
    const key = keys.find((each) => each.key === found.key);
    if (!key) return "Not ours: this was signed with a key that this server never had.";
    if (key.until && Date.parse(found.written) > Date.parse(key.until)) {
      return "Not ours: this was signed with a key after another had taken its place.";
    }
    const when = `${found.written.slice(0, 16).replace("T", " ")} UTC`;
    return `Genuine: this server signed this on ${when}: ${found.match}, ${found.turns} turns.`;
  };

  const check = async (text) => {
    let found = null;
    try {
      found = text.trimStart().startsWith("{") ? await record(text) : await message(text);
    } catch {
      found = { isWhole: false };
    }
    said.textContent = [sentence(found), ...(found?.isWhole && found.played ? found.played : [])].join("\n");
  };

  if (!globalThis.crypto?.subtle) {
    said.textContent = "Your browser checks signatures only on pages with https. The command pbem verify does it, too.";
    return;
  }
  form.querySelector("input").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (file) await check(await file.text());
  });
  form.querySelector("textarea").addEventListener("input", (event) => check(event.target.value));
})();
