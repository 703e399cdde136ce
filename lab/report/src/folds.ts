// SPDX-License-Identifier: MIT
// Suites are folded but for the first, and so is what few readers want. On paper the folds that are
// named here are open, and a link opens what it leads to.

export function unfoldForPaper(folds: string): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>(`:is(${folds}):not([open])`)];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
}

/** What the address names. Who wrote it by hand may have left a % as it is. */
function targetId(): string {
  const written = location.hash.slice(1);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

function unfold(): void {
  const target = document.getElementById(targetId());
  if (!target) return;
  for (let e: Element | null = target; e; e = e.parentElement)
    if (e instanceof HTMLDetailsElement) e.open = true;
  target.scrollIntoView();
}

export function unfoldTarget(): void {
  addEventListener("hashchange", unfold);
  // A second click on a link doesn't change the address.
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link?.getAttribute("href") === location.hash) unfold();
  });
  if (location.hash) unfold();
}
