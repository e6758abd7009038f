// The switch between light and dark. Loaded before the page is drawn, so that it does not flash.
"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
  const show = () => {
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  };
  show();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", () => {
      const now = root.dataset.theme || (dark.matches ? "dark" : "light");
      chosen = now === "dark" ? "light" : "dark";
      show();
      try {
        localStorage.setItem("theme", chosen);
      } catch {
        // As above.
      }
    });
  });
})();
