// Keys: / searches, j and k go from change to change, o opens one, Escape closes it. Keys can be
// turned off (WCAG 2.1, 2.1.4). Changes that are not written out in a list are fetched and opened in
// their place; links to changes are copied. Without this file, links and written changes still work.
"use strict";
(() => {
  const links = ".rows > li > b > a";
  const answers = ".answer li > a:first-of-type";
  const changes = [...document.querySelectorAll(`.rows > li > details > summary, ${links}, .lines a, ${answers}`)];
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
    const shown = changes.filter((one) => one.checkVisibility());
    const at = shown.indexOf(document.activeElement);
    // From nowhere it begins with what is on the screen.
    const under = document.querySelector(".top").offsetHeight;
    const seen = shown.findIndex((one) => one.getBoundingClientRect().bottom > under);
    const next = at < 0 ? Math.max(seen, 0) : Math.min(Math.max(at + by, 0), shown.length - 1);
    shown[next].focus();
    shown[next].scrollIntoView({ block: "nearest" });
  };

  // A change that is not in the page: its own page holds it.
  const content = async (link) => {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(String(answer.status));
    const whole = new DOMParser().parseFromString(await answer.text(), "text/html");
    return whole.querySelectorAll("article.change > :not(h1, .copy, .level)");
  };
  const fetched = async (link) => {
    const said = await content(link);
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    const body = document.createElement("div");
    body.className = "body";
    const page = document.createElement("a");
    page.className = "whole";
    page.href = link.href;
    page.textContent = document.getElementById("said").dataset.whole;
    body.append(page, ...said);
    const row = link.closest("li");
    link.replaceWith(...link.childNodes);
    // A summary holds no links: readers of screens would not hear of them.
    const author = row.querySelector(":scope > a");
    const name = document.createElement("i");
    name.append(...author.childNodes);
    author.replaceWith(name);
    summary.append(...row.childNodes);
    details.append(summary, body);
    details.open = true;
    row.append(details);
    changes[changes.indexOf(link)] = summary;
    summary.focus();
  };
  const unfold = (link) => {
    if (link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    fetched(link).catch(() => location.assign(link.href));
  };
  for (const link of document.querySelectorAll(links)) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      unfold(link);
    });
  }

  // What is written out in a list lacks the lines of the diff.
  for (const row of document.querySelectorAll(".rows > li > details")) {
    const more = async () => {
      const link = row.querySelector(".whole");
      row.querySelector(".body").replaceChildren(link, ...(await content(link)));
    };
    row.addEventListener("toggle", () => more().catch(() => {}), { once: true });
  }

  const here = () => document.activeElement?.closest(`summary, ${links}, .lines a, ${answers}`);
  const toggle = () => here()?.click();
  const close = () => {
    const open = document.activeElement?.closest("details[open]");
    if (open) open.open = false;
    open?.querySelector("summary").focus();
  };

  // A link to a change opens it.
  const named = () => {
    const row = /^#c-[0-9a-f]{12}$/.test(location.hash) && document.querySelector(location.hash);
    const first = row && row.querySelector("details, b > a");
    if (first?.tagName === "DETAILS") first.open = true;
    else if (first) unfold(first);
  };
  addEventListener("hashchange", named);
  named();

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (off || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.getElementById("q");
    const by = { j: 1, k: -1 }[event.key];
    if (event.key === "/" && field) field.focus();
    else if (by && changes.length) step(by);
    else if (event.key === "o" && here()) toggle();
    else if (event.key === "Escape" && document.activeElement?.closest("details[open]")) close();
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
