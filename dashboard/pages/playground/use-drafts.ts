import { useState } from 'preact/hooks';
import { takeHandOver } from '../../state/hand-over.ts';
import { choice, choose } from '../../state/url.ts';
import { type Body, isObject, type Settings, settingsOf } from './draft.ts';
import {
  type KeptDrafts,
  linked,
  readDrafts,
  settingsAt,
  withColumn,
  withoutColumn,
  withSettings,
  withSettingsForAll,
} from './kept-drafts.ts';

const name = 'headgate-playground-2';

export interface Drafts {
  readonly prompt: string;
  /** What was said before. */
  readonly before: readonly Body[];
  readonly forgetBefore: () => void;
  readonly isLinked: boolean;
  /** The settings that a column sends. */
  readonly at: (column: number) => Settings;
  readonly setPrompt: (prompt: string) => void;
  /** Links the settings of that many columns, or gives each its own. */
  readonly link: (isLinked: boolean, columns: number) => void;
  readonly change: (column: number, changed: Partial<Settings>) => void;
  readonly replaceAll: (settings: Settings, columns: number) => void;
  readonly addColumn: (column: number) => void;
  readonly removeColumn: (column: number) => void;
}

/** What a person has written, and how to change it; it lives in this tab only. */
export function useDrafts(): Drafts {
  const [drafts, setDrafts] = useState(() => replayed(readDrafts(sessionStorage.getItem(name))));
  const keep = (change: (earlier: KeptDrafts) => KeptDrafts) =>
    setDrafts((earlier) => {
      const next = change(earlier);
      store(next);
      return next;
    });
  return {
    prompt: drafts.prompt,
    before: drafts.before,
    forgetBefore: () => keep((earlier) => ({ ...earlier, before: [] })),
    isLinked: drafts.isLinked,
    at: (column) => settingsAt(drafts, column),
    setPrompt: (prompt) => keep((earlier) => ({ ...earlier, prompt })),
    link: (isLinked, columns) => keep((earlier) => linked(earlier, isLinked, columns)),
    change: (column, changed) => keep((earlier) => withSettings(earlier, column, changed)),
    replaceAll: (settings, columns) => keep((earlier) => withSettingsForAll(earlier, settings, columns)),
    addColumn: (column) => keep((earlier) => withColumn(earlier, column)),
    removeColumn: (column) => keep((earlier) => withoutColumn(earlier, column)),
  };
}

function store(drafts: KeptDrafts): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(drafts));
  } catch {
    // Larger than a tab may store: it stays while the page lives.
  }
}

/**
 * The drafts with a conversation that another page gave, or with the settings of a replayed call in place of their own, where
 * the address has some; then they leave it.
 */
function replayed(drafts: KeptDrafts): KeptDrafts {
  const given = takeHandOver();
  if (given !== undefined) {
    const { before, prompt, settings } = given;
    const next = { ...drafts, before, prompt, isLinked: true, shared: settingsOf(settings) };
    store(next);
    return next;
  }
  const settings = choice('settings');
  if (settings === undefined) return drafts;
  // After the page is drawn: nothing may change while it is.
  queueMicrotask(() => choose({ settings: undefined }, { replace: true }));
  const next = { ...drafts, isLinked: true, shared: settingsOf(readBody(settings)) };
  store(next);
  return next;
}

function readBody(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
