// SPDX-License-Identifier: MIT
type Child = Node | string;

/** An element with attributes and children: h("p", { class: "note" }, "text"). */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Words, in which `what one types` is code. */
export function marked(text: string): Child[] {
  return text.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** A link to an element of the page, whatever letters its name has. */
export function linkTo(id: string): string {
  return `#${encodeURIComponent(id)}`;
}

const usual_width = 560; // until the box is seen; and on paper, where nobody may have seen it

/** Draws into a box, and again whenever the box becomes wider or narrower. */
export function redrawn(className: string, draw: (width: number) => Node[]): HTMLElement {
  const box = h("div", { class: className });
  let drawnFor = usual_width;
  box.replaceChildren(...draw(usual_width));
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width === drawnFor || width === 0) return;
    drawnFor = width;
    box.replaceChildren(...draw(width));
  }).observe(box);
  return box;
}

/** Hands a text to the reader as a file. The page needs no network for it. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(address);
}
