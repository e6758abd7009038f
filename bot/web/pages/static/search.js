// Search as you type. Without it the form works as forms do. Text from outside is set as text.
"use strict";
(() => {
  const field = document.getElementById("q");
  const box = document.getElementById("found");
  if (!field || !box) return;
  let waiting = 0;
  let asked = null;

  const entry = (change) => {
    const link = document.createElement("a");
    link.href = field.dataset.changes + change.sha.slice(0, 12);
    link.className = change.level;
    link.textContent = change.title || change.sha.slice(0, 10);
    return link;
  };

  const show = (found) => {
    // A late answer does not take away the link that the reader has chosen already.
    if (box.contains(document.activeElement)) return;
    const nothing = document.createElement("p");
    nothing.textContent = field.dataset.none;
    box.replaceChildren(...(found.changes.length ? found.changes.map(entry) : [nothing]));
    box.hidden = false;
  };

  const ask = async () => {
    if (asked) asked.abort();
    const words = field.value.trim();
    if (words.length < 2) {
      box.hidden = true;
      return;
    }
    asked = new AbortController();
    try {
      const address = `${field.dataset.json}?q=${encodeURIComponent(words)}`;
      const answer = await fetch(address, { signal: asked.signal });
      if (answer.ok) show(await answer.json());
    } catch (error) {
      if (error.name !== "AbortError") box.hidden = true;
    }
  };

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 150);
  });
  field.form.addEventListener("focusout", (event) => {
    if (!field.form.contains(event.relatedTarget)) box.hidden = true;
  });
  field.form.addEventListener("keydown", (event) => {
    const links = [...box.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") box.hidden ? event.target.blur() : (box.hidden = true);
    if (!step || box.hidden || !links.length) return;
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? field : links[Math.min(next, links.length - 1)]).focus();
  });
})();
