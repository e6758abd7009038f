// A page that is kept open asks whether there is more, says how much, and marks what came since the
// last visit. It is told by the page's own tag: where nothing changed nothing is sent.
"use strict";
(() => {
  const note = document.getElementById("fresh");
  const names = (page) => [...page.querySelectorAll(".rows > [id]")].map((row) => row.id);
  const here = names(document);
  if (!note || !document.querySelector(".rows")) return;

  const said = (of, count) => (count === 1 ? of.dataset.one : of.dataset.many.replace("#", count));
  const key = `seen ${location.pathname}`;
  try {
    const seen = JSON.parse(localStorage.getItem(key) || "null");
    if (Array.isArray(seen)) {
      const known = new Set(seen);
      const fresh = here.filter((name) => !known.has(name));
      for (const name of fresh) document.getElementById(name).classList.add("fresh");
      const since = document.getElementById("since");
      if (since && fresh.length) {
        since.textContent = said(since, fresh.length);
        since.hidden = false;
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
    link.textContent = said(link, count);
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
