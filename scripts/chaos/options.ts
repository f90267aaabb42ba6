import { parseArgs } from 'node:util';

/** What a run is told. */
export interface ChaosOptions {
  readonly minutes: number;
  /** The same seed draws the same troubles; when each request falls into them is the machine's. */
  readonly seed: number;
  readonly clients: number;
  readonly onFailure: 'reject' | 'local';
  /** Whether Redis is a primary with a replica behind three sentinels, whose failovers are troubles too. */
  readonly sentinels: boolean;
}

/** How long a request may take, in milliseconds, whatever happens around it; the provider itself takes under 300. */
export const requestLimit = 10_000;

/**
 * The same for one with an idempotency key: it waits for the process that makes its answer, and when that was killed
 * for as long as its claim holds, which is 15 seconds.
 */
export const keyedRequestLimit = 20_000;

/** Reads the command line. @throws RangeError for values that cannot be. */
export function readOptions(argv: readonly string[]): ChaosOptions & { readonly json: boolean } {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      clients: { type: 'string', default: '24' },
      'on-failure': { type: 'string', default: 'reject' },
      sentinels: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const onFailure = values['on-failure'];
  if (onFailure !== 'reject' && onFailure !== 'local') throw new RangeError('--on-failure: reject or local');
  return {
    minutes: positive('minutes', values.minutes),
    seed: positive('seed', values.seed),
    clients: positive('clients', values.clients),
    onFailure,
    sentinels: values.sentinels,
    json: values.json,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`--${name}: a number above 0`);
  return value;
}
