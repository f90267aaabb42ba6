/** What a version of a preset holds. */
export interface Held {
  readonly system_prompt: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A version as text whose lines can be compared: the instructions, then the settings with sorted names. */
export function versionText({ system_prompt: prompt, config }: Held): string {
  const settings = JSON.stringify(sorted(config), null, 2);
  return prompt === null ? settings : `${prompt}\n\n${settings}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}
