// SPDX-License-Identifier: MIT
// Suites are folded but for the first. On paper all of them are open, and a link opens what it
// leads to.

export function unfoldForPaper(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details.suite:not([open])")];
    for (const suite of opened) suite.open = true;
  });
  addEventListener("afterprint", () => {
    for (const suite of opened) suite.open = false;
  });
}

function unfold(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let e: Element | null = target; e; e = e.parentElement)
    if (e instanceof HTMLDetailsElement) e.open = true;
  target.scrollIntoView();
}

export function unfoldTarget(): void {
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();
}
