import { effect, signal } from '@preact/signals';

/** What a person prefers in this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** A zone of the IANA database; undefined is the browser's. */
  readonly zone: string | undefined;
  /** How close the rows of tables are. */
  readonly density: 'comfortable' | 'compact';
  readonly exact: boolean;
  readonly shortcuts: boolean;
}

const name = 'headgate-preferences-1';
const usual: Preferences = {
  theme: 'system',
  zone: undefined,
  density: 'comfortable',
  exact: false,
  shortcuts: true,
};

export const preferences = signal<Preferences>(read());

function read(): Preferences {
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(name) ?? '{}') };
  } catch {
    return usual;
  }
}

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  localStorage.setItem(name, JSON.stringify(preferences.value));
}

/** Asked for once: asking is slow, and every cell with a time needs it. */
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';

/** The zone that times are shown in. */
export function zone(): string {
  return preferences.value.zone ?? browserZone;
}

effect(() => {
  const { theme } = preferences.value;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});

effect(() => {
  document.documentElement.dataset.density = preferences.value.density;
});
