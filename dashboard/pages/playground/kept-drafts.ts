import { type Body, isObject, noSettings, type Settings } from './draft.ts';

/** Everything that was typed in the playground; it lives in one tab. */
export interface KeptDrafts {
  readonly prompt: string;
  /** What was said before, where a conversation was opened here. */
  readonly before: readonly Body[];
  /** Whether all columns have the shared settings. */
  readonly isLinked: boolean;
  readonly shared: Settings;
  /** A column's own settings, which begin as a copy of the shared ones and stay while those count. */
  readonly columns: readonly (Settings | null)[];
}

export const noDrafts: KeptDrafts = {
  prompt: '',
  before: [],
  isLinked: true,
  shared: noSettings,
  columns: [],
};

/** The settings that a column sends. */
export function settingsAt({ isLinked, shared, columns }: KeptDrafts, column: number): Settings {
  return isLinked ? shared : (columns[column] ?? shared);
}

/** Changes the settings of a column, which are those of all while they are linked. */
export function withSettings(drafts: KeptDrafts, column: number, changed: Partial<Settings>): KeptDrafts {
  const next = { ...settingsAt(drafts, column), ...changed };
  if (drafts.isLinked) return { ...drafts, shared: next };
  return { ...drafts, columns: filled(drafts.columns, column).with(column, next) };
}

/** Puts other settings in place of those that the columns send. */
export function withSettingsForAll(drafts: KeptDrafts, settings: Settings, columns: number): KeptDrafts {
  return drafts.isLinked
    ? { ...drafts, shared: settings }
    : { ...drafts, columns: Array.from({ length: columns }, () => settings) };
}

/** Links the settings of the columns or gives each its own. */
export function linked(drafts: KeptDrafts, isLinked: boolean, columns: number): KeptDrafts {
  const own = filled(drafts.columns, columns - 1).map((one) => one ?? drafts.shared);
  return { ...drafts, isLinked, ...(isLinked ? {} : { columns: own }) };
}

/** One more column, with the settings of the one before it. */
export function withColumn(drafts: KeptDrafts, column: number): KeptDrafts {
  if (drafts.isLinked) return drafts;
  const before = settingsAt(drafts, column - 1);
  return { ...drafts, columns: [...filled(drafts.columns, column - 1).slice(0, column), before] };
}

export function withoutColumn(drafts: KeptDrafts, column: number): KeptDrafts {
  return { ...drafts, columns: drafts.columns.filter((_, index) => index !== column) };
}

/** Drafts as they were stored; what cannot be read is as at the beginning. */
export function readDrafts(text: string | null): KeptDrafts {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '{}');
  } catch {
    return noDrafts;
  }
  if (!isObject(value)) return noDrafts;
  const { prompt, before, isLinked, shared, columns } = value;
  return {
    prompt: typeof prompt === 'string' ? prompt : '',
    before: Array.isArray(before) ? before.filter(isObject) : [],
    isLinked: isLinked !== false,
    shared: readSettings(shared),
    columns: Array.isArray(columns) ? columns.map((one) => (one === null ? null : readSettings(one))) : [],
  };
}

function readSettings(value: unknown): Settings {
  if (!isObject(value)) return noSettings;
  const texts = Object.keys(noSettings).filter((name) => typeof value[name] === 'string');
  return { ...noSettings, ...Object.fromEntries(texts.map((name) => [name, value[name]])) };
}

/** A list that has an entry for a column and all before it. */
function filled(columns: KeptDrafts['columns'], column: number): KeptDrafts['columns'] {
  const missing = Math.max(0, column + 1 - columns.length);
  return [...columns, ...Array.from({ length: missing }, () => null)];
}
