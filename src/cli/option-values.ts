import { InvalidArgumentError } from 'commander';
import { HeadgateError } from '../core/errors.ts';
import { mostPerMinute } from '../core/limits.ts';
import { formatUsd, largestUsd, type NanoUsd, parseUsd } from '../core/money.ts';
import type { PluginDefaults } from '../core/plugin-defaults.ts';
import { createChecker } from '../schema/checker.ts';
import { describeAllowed } from '../schema/describe-allowed.ts';
import { pluginDefaultsSchema, readPluginDefaults } from '../schema/plugin-defaults.ts';
import { readText } from '../schema/read-text.ts';
import { unit, units, withUnit } from '../schema/units.ts';
import { parseJson } from '../util/json.ts';
import { flag, integer, marksOf, type TUnsafe, text } from '../util/json-schema.ts';
import { isCalendarDay, utcDay } from '../util/utc-windows.ts';

/** What clears a setting. */
export const none = 'none';

/** A parser that also takes the word which clears a setting. */
export function orNone<Value>(parse: (text: string) => Value): (text: string) => Value | typeof none {
  return (text) => (text === none ? none : parse(text));
}

/** Null for the word which clears a setting. */
export function clearable<Value>(value: Value | typeof none): Value | null {
  return value === none ? null : value;
}
const checkDefaults = createChecker(pluginDefaultsSchema);

/** A parser of an option by the schema of its values. @throws InvalidArgumentError. */
function optionOf<Value>(schema: TUnsafe<Value>): (written: string) => Value {
  return (written) => {
    const read = readText(schema, { raw: written, text: written, untyped: true });
    if ('value' in read) return read.value as Value;
    const problem = marksOf(schema).unit === undefined ? `must be ${describeAllowed(schema)}` : read.problem;
    throw new InvalidArgumentError(`It ${problem}.`);
  };
}

/** A parser of text by a function that throws RangeError with what is wrong. */
const textOption = <Value>(name: string, read: (written: string) => Value) =>
  optionOf(withUnit(unit(name, name, read), text()));

/** An amount of USD from 0. */
export const parseAmount: (written: string) => NanoUsd = textOption('an amount of USD', (written) =>
  readUsd(written, (amount) => amount >= 0n, 'must not be below 0'),
);

/** An amount of USD above 0. */
export const parsePositiveAmount: (written: string) => NanoUsd = textOption('an amount of USD', (written) =>
  readUsd(written, (amount) => amount > 0n, 'must be above 0'),
);

/** An amount of USD above or below 0. */
export const parseSignedAmount: (written: string) => NanoUsd = textOption('an amount of USD', (written) =>
  readUsd(written, (amount) => amount !== 0n, 'must not be 0'),
);

/** `true` or `false`. */
export const parseSwitch: (written: string) => boolean = optionOf(flag());

/** Plugins that are on by default, as JSON; `none` for none. */
export const parsePluginDefaults: (written: string) => PluginDefaults = textOption('plugins', (written) => {
  if (written === 'none') return {};
  try {
    return readPluginDefaults(checkDefaults(parseJson(written), ''), '');
  } catch (thrown) {
    const reason = thrown instanceof HeadgateError ? `: ${thrown.message}` : '';
    throw new RangeError(`must be JSON such as {"response-healing": {"enforced": true}}, or none${reason}`);
  }
});

/** A point in time, as Unix milliseconds; a date alone is its start in UTC. */
export const parseTime: (written: string) => number = textOption('a time', (written) => {
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(written);
  const time = isIso && isCalendarDay(written.slice(0, 10)) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(time)) throw new RangeError('must be a time such as 2027-01-31T00:00:00Z');
  return time;
});

/** A UTC day such as 2027-01-31, counted from 1970. */
export const parseDay: (written: string) => number = textOption('a day', (written) => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(written) || !isCalendarDay(written)) {
    throw new RangeError('must be a day such as 2027-01-31');
  }
  return utcDay(Date.parse(`${written}T00:00:00Z`));
});

/** A duration such as `24h`, in milliseconds. */
export const parseDuration: (written: string) => number = textOption('a duration', (written) => {
  try {
    return units.duration.read(written);
  } catch {
    throw new RangeError(`must be ${units.duration.allowed}`);
  }
});

/** A whole number from 1 to 999999. */
export const parseCount: (written: string) => number = optionOf(integer({ minimum: 1, maximum: 999_999 }));

/** A limit of requests or tokens a minute, or of parallel requests. */
export const parseRate: (written: string) => number = optionOf(
  integer({ minimum: 1, maximum: mostPerMinute }),
);

/** A key's hash or the beginning of one. */
export const parseHash: (written: string) => string = textOption('a hash', (written) => {
  const hash = written.toLowerCase();
  if (/^[0-9a-f]{1,64}$/.test(hash)) return hash;
  throw new RangeError('must be the hash of "headgate keys list", or its beginning');
});

/** Text that is not empty. */
export const parseText: (written: string) => string = textOption('text', (written) => {
  if (written.trim() === '') throw new RangeError('must not be empty');
  return written;
});

function readUsd(written: string, fits: (amount: NanoUsd) => boolean, otherwise: string): NanoUsd {
  const amount = parseOrUndefined(written);
  if (amount === undefined) {
    throw new RangeError('must be an amount of USD such as 12.50, with at most 9 decimals');
  }
  if (amount > largestUsd || amount < -largestUsd) {
    throw new RangeError(`must be at most ${formatUsd(largestUsd)} USD`);
  }
  if (!fits(amount)) throw new RangeError(otherwise);
  return amount;
}

function parseOrUndefined(written: string): NanoUsd | undefined {
  try {
    return parseUsd(written);
  } catch {
    return undefined;
  }
}
