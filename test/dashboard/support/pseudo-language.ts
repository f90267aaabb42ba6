import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';

/**
 * Runs in the page: makes every word that is shown two fifths longer and lets the page run from right to left. What is
 * written by a script later is lengthened as it comes. Code stays as it is: no language makes it longer.
 */
const lengthen = `(() => {
  const longer = (text) => text.replace(/\\p{L}{2,}/gu, (word) => word + 'ö'.repeat(Math.ceil(word.length * 0.4)));
  const done = new WeakMap();
  const words = (node) => {
    if (done.get(node) === node.data || node.parentElement?.closest('script, style, code, pre, textarea')) return;
    const text = longer(node.data);
    done.set(node, text);
    if (text !== node.data) node.data = text;
  };
  const placeholder = (element) => {
    const now = element.getAttribute('placeholder');
    if (now === null || done.get(element) === now) return;
    done.set(element, longer(now));
    element.setAttribute('placeholder', longer(now));
  };
  const all = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words(node);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    placeholder(node);
    for (const child of node.childNodes) all(child);
  };
  new MutationObserver((changes) => {
    if (document.documentElement.dir !== 'rtl') document.documentElement.dir = 'rtl';
    for (const { type, target, addedNodes } of changes) {
      if (type === 'characterData') words(target);
      else if (type === 'attributes') placeholder(target);
      else for (const node of addedNodes) all(node);
    }
  }).observe(document, {
    childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ['placeholder'],
  });
})()`;

/** From its next load on, the page is in the pseudo-language. */
export async function speakPseudo(page: Page): Promise<void> {
  await page.addInitScript(lengthen);
}

/** Runs in the page: texts that are cut, and what lies under or over the bar at the top, in words. */
const look = `(() => {
  const named = (element) => {
    const { tagName, className, textContent } = element;
    const kind = typeof className === 'string' && className !== '' ? '.' + className.trim().replaceAll(/\\s+/g, '.') : '';
    return tagName.toLowerCase() + kind + ' "' + textContent.trim().replaceAll(/\\s+/g, ' ').slice(0, 60) + '"';
  };
  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const faults = [];
  // The mark of a list.
  const arrow = 18;
  for (const choice of document.querySelectorAll("header.bar select")) {
    if (!isShown(choice)) continue;
    // What is chosen must be read whole: a list has no other place that shows it.
    const { paddingLeft, paddingRight, font } = getComputedStyle(choice);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = font;
    const text = choice.selectedOptions[0]?.textContent ?? '';
    const room = choice.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrow;
    const needs = pen.measureText(text).width;
    if (needs > room + 1) {
      faults.push('the choice "' + text + '" needs ' + Math.round(needs) + ' pixels and has ' + Math.round(room));
    }
  }
  const texts = 'button, .button, h1, h2, h3, h4, legend, label, .label, summary, th, dt, nav a, [role=tab], .brand, .badge';
  for (const element of document.querySelectorAll(texts)) {
    if (!isShown(element) || element.closest('.hidden, .cut, .skip')) continue;
    // A name from outside may be cut: whoever writes it decides how long it is.
    const { scrollWidth, clientWidth } = element;
    if (clientWidth > 0 && scrollWidth > clientWidth + 1 && element.querySelector('.cut') === null) {
      faults.push(named(element) + ' has ' + scrollWidth + ' pixels of text in ' + clientWidth);
    }
    const { left, right } = element.getBoundingClientRect();
    for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
      const { overflowX } = getComputedStyle(outer);
      if (overflowX === 'auto' || overflowX === 'scroll') break;
      const box = outer.getBoundingClientRect();
      if (overflowX !== 'visible' && (left < box.left - 1 || right > box.right + 1)) {
        faults.push(named(element) + ' leaves ' + named(outer).slice(0, 60));
        break;
      }
    }
  }
  for (const cell of document.querySelectorAll('.table.fluid td:first-child')) {
    if (isShown(cell) && cell.clientWidth < 110) faults.push(named(cell) + ' has no room for a name: ' + cell.clientWidth);
  }
  for (const plot of document.querySelectorAll('svg.plot')) {
    const marks = [...plot.querySelectorAll('.bar-mark, .grid')].map((mark) => mark.getBoundingClientRect().left);
    const start = Math.min(...marks);
    for (const tick of plot.querySelectorAll('text[text-anchor=end]')) {
      if (tick.getBoundingClientRect().right > start) faults.push(named(tick) + ' stands in the plot');
    }
  }
  const bar = document.querySelector('header.bar');
  if (bar === null) return faults;
  const parts = [...bar.querySelectorAll('button, select')].filter((part) => isShown(part) && part.closest('dialog') === null);
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const area = bar.getBoundingClientRect();
  boxes.forEach((box, at) => {
    if (box.left < area.left || box.right > area.right || box.bottom > area.bottom) faults.push(named(parts[at]) + ' leaves the bar');
    for (let next = at + 1; next < boxes.length; next += 1) {
      const other = boxes[next];
      if (box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 1 && other.top < box.bottom - 1) {
        faults.push(named(parts[at]) + ' lies over ' + named(parts[next]));
      }
    }
  });
  const top = document.querySelector('main > *')?.getBoundingClientRect().top ?? area.bottom;
  if (scrollY === 0 && top < area.bottom) faults.push('the page begins under the bar');
  return faults;
})()`;

/** Runs in the page, wherever it is scrolled to: what covers the bar at the top, but for dialogs, and the detail of a request on small screens. */
const covered = `(() => {
  const bar = document.querySelector('header.bar');
  if (bar === null) return [];
  const { left, right, top, bottom } = bar.getBoundingClientRect();
  const over = new Set();
  for (let x = left + 4; x < right - 4; x += 12) {
    const found = document.elementFromPoint(x, (top + bottom) / 2);
    if (found !== null && !bar.contains(found) && found.closest('.detail, dialog') === null) over.add(found.tagName.toLowerCase() + ' "' + found.textContent.slice(0, 40) + '" covers the bar');
  }
  return [...over];
})()`;

/** Opens the menu of a button and waits until it stands at the button and in the window; in words where it never does. */
export async function menuPlace(page: Page, button: Locator, name: string): Promise<readonly string[]> {
  await button.click();
  const menu = page.locator('.menu:popover-open');
  await menu.waitFor();
  const isPlaced = async () => {
    const [at, shown, room] = [await button.boundingBox(), await menu.boundingBox(), page.viewportSize()];
    if (at === null || shown === null || room === null) return false;
    const isInside = shown.x >= 0 && shown.x + shown.width <= room.width;
    return isInside && shown.x <= at.x + at.width && at.x <= shown.x + shown.width;
  };
  const found = await eventually(`${name}: the menu at its button`, isPlaced, 20_000).then(() => [], String);
  await page.keyboard.press('Escape');
  return [found].flat();
}

/** Texts that are cut and what lies over the bar, a line each. */
export async function squeezed(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = await page.evaluate(look);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  faults.push(...(await page.evaluate<string[]>(covered)));
  await page.evaluate('scrollTo(0, 0)');
  return [...new Set(faults)].map((fault) => `${name}: ${fault}`);
}
