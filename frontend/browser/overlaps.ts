// Texts and controls of a page that lie over each other, measured by their boxes.

import type { Page } from 'playwright-core';

/** Runs in the page. Boxes are cut where what is around them hides their rest. */
const FIND = `(() => {
  const SLACK = 3;
  const hidden = (it) =>
    it.closest('.unseen, title, desc, option, optgroup, script, style, noscript, .skip') !== null ||
    !it.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const cut = (box, it) => {
    let { left, top, right, bottom } = box;
    for (let at = it; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === 'visible' && style.overflowY === 'visible' && at.tagName !== 'svg') continue;
      const around = at.getBoundingClientRect();
      [left, top] = [Math.max(left, around.left), Math.max(top, around.top)];
      [right, bottom] = [Math.min(right, around.right), Math.min(bottom, around.bottom)];
    }
    return right - left > SLACK && bottom - top > SLACK ? { left, top, right, bottom } : null;
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const it = node.parentElement;
    if (node.data.trim() === '' || !it || hidden(it)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      // Glyphs are lower than their lines.
      const trim = line.height * 0.18;
      const box = cut({ left: line.left, right: line.right, top: line.top + trim, bottom: line.bottom - trim }, it);
      if (box) found.push({ it, box, name: node.data.trim().replace(/\\s+/g, ' ').slice(0, 60) });
    }
  }
  for (const it of document.querySelectorAll('button, a.button, input, select, textarea')) {
    if (hidden(it)) continue;
    const box = cut(it.getBoundingClientRect(), it);
    if (box) found.push({ it, box, name: '[' + (it.textContent.trim().slice(0, 30) || it.tagName) + ']' });
  }
  found.sort((a, b) => a.box.top - b.box.top);
  const pairs = [];
  found.forEach((one, index) => {
    for (const other of found.slice(index + 1)) {
      if (other.box.top >= one.box.bottom - SLACK) break;
      if (one.it === other.it || one.it.contains(other.it) || other.it.contains(one.it)) continue;
      // A tip stands in front of its chart, whose texts its ground hides.
      if (one.it.closest('.tip') !== other.it.closest('.tip')) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const tall = Math.min(one.box.bottom, other.box.bottom) - other.box.top;
      if (wide > SLACK && tall > SLACK) pairs.push(one.name + ' | ' + other.name);
    }
  });
  return pairs;
})()`;

/** `0.45 EUR | 100 g`: pairs that lie over each other. */
export const overlaps = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND);
