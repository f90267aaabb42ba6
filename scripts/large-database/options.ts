import { parseArgs } from 'node:util';

/** The options of a run. */
export interface LargeDatabaseOptions {
  readonly engine: 'postgres' | 'sqlite';
  /** Calls to load. */
  readonly rows: number;
  /**
   * `full`: the record of a call is as long as a real one; `short`: only what reports and money need, for less disk.
   */
  readonly details: 'full' | 'short';
  /** How often each query runs. */
  readonly samples: number;
  /** Runs only queries with this text in their names. */
  readonly only?: string;
  /** The files of the database; those of an earlier run are reused. Undefined: a temporary directory. */
  readonly directory?: string;
  /** Whether to drop the system's file cache before each query. */
  readonly forgetsFiles: boolean;
  /** Whether to keep the files. */
  readonly keep: boolean;
}

/** Reads the command line. @throws RangeError for invalid values. */
export function readOptions(argv: readonly string[]): LargeDatabaseOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      engine: { type: 'string', default: 'postgres' },
      rows: { type: 'string', default: '1000000' },
      details: { type: 'string', default: 'full' },
      samples: { type: 'string', default: '20' },
      only: { type: 'string' },
      directory: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const { engine, details, directory, only, keep } = values;
  if (engine !== 'postgres' && engine !== 'sqlite') throw new RangeError('--engine: postgres or sqlite');
  if (details !== 'full' && details !== 'short') throw new RangeError('--details: full or short');
  return {
    engine,
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
