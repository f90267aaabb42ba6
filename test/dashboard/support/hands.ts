import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/**
 * How somebody does a task: what is used counts one each, as does a chord of keys; typing is free. A native list counts
 * once: it is opened and chosen from in one movement, or by typing.
 */
export interface Hands {
  readonly name: string;
  /** How much was used so far. */
  readonly used: number;
  press(target: Locator): Promise<void>;
  choose(list: Locator, option: string): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  chord(keys: string): Promise<void>;
}

/** Does everything with the mouse, but for chords. */
export function mouse(page: Page): Hands {
  let used = 0;
  return {
    name: 'mouse',
    get used() {
      return used;
    },
    press: async (target) => {
      used += 1;
      await target.click();
    },
    choose: async (list, option) => {
      used += 1;
      await list.selectOption({ label: option });
    },
    type: (field, text) => field.fill(text),
    chord: async (keys) => {
      used += 1;
      await page.keyboard.press(keys);
    },
  };
}

/** Where the focus may be behind what it should come to, at most. */
const mostTabs = 400;

/** Never touches the mouse: walks to everything with the tab key, as somebody must who has no other way. */
export function keyboard(page: Page): Hands {
  let used = 0;
  const walkTo = async (target: Locator) => {
    await target.waitFor();
    for (let tabs = 0; tabs < mostTabs; tabs += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`${target} is not reached by the tab key`);
  };
  return {
    name: 'keyboard',
    get used() {
      return used;
    },
    press: async (target) => {
      used += 1;
      await walkTo(target);
      await page.keyboard.press('Enter');
    },
    choose: async (list, option) => {
      used += 1;
      await walkTo(list);
      await page.keyboard.type(option);
    },
    type: async (field, text) => {
      await walkTo(field);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    },
    chord: async (keys) => {
      used += 1;
      await page.keyboard.press(keys);
    },
  };
}
