import { useEffect } from 'preact/hooks';
import { queries } from '../state/query.ts';
import { isShortcut } from '../state/typing.ts';
import { go, href } from '../state/url.ts';
import { pages } from './pages.ts';
import { useRowKeys } from './row-keys.ts';

interface Actions {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** The keys that work on every page. */
export const shortcuts = [
  ['⌘ K', 'Search or jump'],
  ['?', 'This help'],
  ['/', 'Search on the page'],
  ['j k', 'Next and previous row'],
  ['Enter Esc', 'Open and close a row'],
  ['.', 'Actions of the row, or of the page'],
  ['[ ]', 'Previous and next request'],
  ['c', 'Mark a cell, then copy its exact value'],
  ['← →', 'Steps of a chart; with Shift several, which Enter shows'],
  ['t', 'Choose the range'],
  ['r', 'Load again'],
  ['⌘ Enter', 'Send'],
  ['p', 'Answers as plain text'],
] as const;

/** Listens for keys. Single ones can be switched off and never work in fields. */
export function useKeys({ openPalette, openHelp }: Actions): void {
  useRowKeys();
  useEffect(() => {
    let isGoing = false;
    const single: Readonly<Record<string, () => void>> = {
      '?': openHelp,
      '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
      t: () => document.querySelector<HTMLSelectElement>('[data-range]')?.focus(),
      r: () => void queries.invalidateQueries(),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (!isShortcut(event)) return;
      if (isGoing) {
        isGoing = false;
        const page = pages.find(({ key }) => key === event.key);
        if (page !== undefined) go(href(page.path));
        return;
      }
      isGoing = event.key === 'g';
      const act = single[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [openPalette, openHelp]);
}
