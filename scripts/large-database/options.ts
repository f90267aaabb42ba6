import { parseArgs } from 'node:util';

/** What a run is told. */
export interface LargeDatabaseOptions {
  /** Calls to load. */
  readonly rows: number;
  /** `full`: the record of a call as long as a real one; `short`: what reports and money need, for less disk. */
  readonly details: 'full' | 'short';
  /** How often each question is asked. */
  readonly samples: number;
  /** Asks only questions with this in their names. */
  readonly only?: string;
  /** The files of the server; those of an earlier run are used as they are. Undefined: a temporary directory. */
  readonly directory?: string;
  /** Whether the whole system forgets what it read of files before each question. */
  readonly forgetsFiles: boolean;
  /** Whether the files stay. */
  readonly keep: boolean;
}

/** Reads the command line. @throws RangeError for values that cannot be. */
export function readOptions(argv: readonly string[]): LargeDatabaseOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rows: { type: 'string', default: '1000000' },
      details: { type: 'string', default: 'full' },
      samples: { type: 'string', default: '20' },
      only: { type: 'string' },
      directory: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const { details, directory, only, keep } = values;
  if (details !== 'full' && details !== 'short') throw new RangeError('--details: full or short');
  return {
    rows: positive('rows', values.rows),
    details,
    samples: positive('samples', values.samples),
    forgetsFiles: true,
    keep,
    ...(only !== undefined && { only }),
    ...(directory !== undefined && { directory }),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(Number.isSafeInteger(value) && value > 0)) throw new RangeError(`--${name}: a whole number above 0`);
  return value;
}
