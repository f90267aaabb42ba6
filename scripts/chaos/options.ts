import { parseArgs } from 'node:util';

/** The options of a run. */
export interface ChaosOptions {
  readonly minutes: number;
  /** The same seed draws the same faults; their timing relative to requests depends on the machine. */
  readonly seed: number;
  readonly clients: number;
  readonly onFailure: 'reject' | 'local';
  /** Whether Redis is a primary with a replica behind three sentinels, whose failovers are faults too. */
  readonly sentinels: boolean;
}

/**
 * Time limit of a request in milliseconds, whatever faults occur; the provider itself takes less than 300.
 */
export const requestLimit = 10_000;

/**
 * The limit for a request with an idempotency key. It waits for the process that makes its answer and, if that was
 * killed, until its claim expires, which takes 15 seconds.
 */
export const keyedRequestLimit = 20_000;

/** Reads the command line. @throws RangeError for invalid values. */
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
