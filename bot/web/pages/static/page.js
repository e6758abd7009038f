// Copying links to changes, and keys: / searches, j and k go from change to change. Keys can be
// turned off (WCAG 2.1, 2.1.4). Without this file links are links, and the tab key goes along them.
"use strict";
(() => {
  const changes = [...document.querySelectorAll("article.change .anchor, .results .title")];
  const keys = document.getElementById("keys");

  let off = false;
  try {
    off = localStorage.getItem("keys") === "off";
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
  const show = () => keys.setAttribute("aria-pressed", String(!off));
  keys.hidden = false;
  show();
  keys.addEventListener("click", () => {
    off = !off;
    show();
    try {
      localStorage.setItem("keys", off ? "off" : "on");
    } catch {
      // As above.
    }
  });

  const step = (by) => {
    const at = changes.indexOf(document.activeElement);
    // From nowhere it begins with what is on the screen.
    const seen = changes.findIndex((one) => one.getBoundingClientRect().bottom > 0);
    const next = at < 0 ? Math.max(seen, 0) : Math.min(Math.max(at + by, 0), changes.length - 1);
    changes[next].focus();
    changes[next].scrollIntoView({ block: "center" });
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (off || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.getElementById("q");
    const by = { j: 1, k: -1 }[event.key];
    if (event.key === "/" && field) field.focus();
    else if (by && changes.length) step(by);
    else return;
    event.preventDefault();
  });

  // Browsers let a page copy only where nobody can listen in (https, or this machine).
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(new URL(button.dataset.path, location.href).href);
      } catch {
        return;
      }
      const said = document.getElementById("said");
      said.textContent = said.dataset.copied;
      button.dataset.state = "done";
      setTimeout(() => delete button.dataset.state, 1500);
    });
  }
})();
