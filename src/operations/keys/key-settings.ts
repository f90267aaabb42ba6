import { type KeySettings, plainKeySettings } from '../../ports/keys.ts';
import { type SnakeCase, snakeCase } from '../../util/snake-case.ts';

/** The optional settings of a key as JSON has them: under the same names in snake case. */
export type ShownKeySettings = {
  readonly [Name in keyof KeySettings as SnakeCase<Name>]: KeySettings[Name];
};

const names = Object.keys(plainKeySettings) as (keyof KeySettings)[];

/** The optional settings of a key as JSON. */
export function showKeySettings(key: KeySettings): ShownKeySettings {
  return Object.fromEntries(names.map((name) => [snakeCase(name), key[name]])) as ShownKeySettings;
}

/** The settings that checked JSON holds; those it leaves out are absent. */
export function readKeySettings(shown: Partial<ShownKeySettings>): Partial<KeySettings> {
  const given: Readonly<Record<string, unknown>> = shown;
  const entries = names.map((name) => [name, given[snakeCase(name)]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
