// A page that is kept open asks whether there is more, says how much, and marks what came since the
// last visit. It is told by the page's own tag: where nothing changed nothing is sent.
"use strict";
(() => {
  const note = document.getElementById("fresh");
  const names = (page) => [...page.querySelectorAll(".row[id]")].map((row) => row.id);
  const here = names(document);
  if (!note || !document.querySelector(".row, [data-live]")) return;

  const key = `seen ${location.pathname}`;
  try {
    const seen = JSON.parse(localStorage.getItem(key) || "null");
    if (Array.isArray(seen)) {
      const known = new Set(seen);
      for (const name of here) {
        if (!known.has(name)) document.getElementById(name).classList.add("fresh");
      }
    }
    localStorage.setItem(key, JSON.stringify(here));
  } catch {
    // Storage may be forbidden or full: nothing is marked then.
  }

  const title = document.title;
  const shown = new Set(here);
  const show = (count) => {
    const link = note.querySelector("a");
    link.textContent = count === 1 ? link.dataset.one : link.dataset.many.replace("#", count);
    note.hidden = !count;
    document.title = count ? `(${count}) ${title}` : title;
  };
  const ask = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(location.href, { cache: "no-cache" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      show(names(page).filter((name) => !shown.has(name)).length);
    } catch {
      // The server is away; the next time it may be there.
    }
  };
  setInterval(ask, 60000);
  document.addEventListener("visibilitychange", ask);
})();
