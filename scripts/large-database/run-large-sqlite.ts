import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { dayLength } from '../../src/util/utc-windows.ts';
import { createRandom } from '../demo/random.ts';
import { drawCall } from './draw-call.ts';
import { forgetFiles } from './forget-files.ts';
import { buyCredits, dayCount, makeAccounts } from './load.ts';
import { type Figures, measure } from './measure.ts';
import type { LargeDatabaseOptions } from './options.ts';
import { type Question, questions, verification } from './questions.ts';
import type { LargeDatabaseReport } from './report.ts';

/** Charges that are on their way at once while the file is filled. */
const atOnce = 5_000;

/**
 * Fills a SQLite file with calls through the ledger, as a server does, and measures every query of Headgate through its own
 * stores, each on a file opened anew.
 * @param report Called with progress.
 */
export async function runLargeSqlite(
  options: LargeDatabaseOptions,
  report: (line: string) => void,
): Promise<LargeDatabaseReport> {
  const { samples, only, keep } = options;
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'headgate-large-'));
  const file = join(directory, 'headgate.db');
  try {
    if (!existsSync(file)) await withStorage(file, (storage) => fill(storage, options.rows, report));
    const { calls, ids } = describe(file, samples);
    const figures: Figures[] = [];
    const asked = ({ name }: Question) => only === undefined || name.includes(only);
    for (const question of [...questions(samples, ids), verification].filter(asked)) {
      if (options.forgetsFiles) await forgetFiles();
      const one = await withStorage(file, (storage) => measure(question, samples, storage));
      report(JSON.stringify(one));
      figures.push(one);
    }
    return { calls, dailyRows: undefined, bytes: statSync(file).size, sizes: [], figures };
  } finally {
    if (!keep) rmSync(directory, { recursive: true });
  }
}

async function withStorage<Result>(
  file: string,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await openStorage(`sqlite:${file}`);
  try {
    await storage.migrate();
    return await work(storage);
  } finally {
    await storage.close();
  }
}

async function fill(storage: Storage, rows: number, report: (line: string) => void): Promise<void> {
  await makeAccounts(storage);
  const end = Date.now();
  const begin = end - (dayCount - 1) * dayLength;
  const random = createRandom(5);
  const start = performance.now();
  for (let first = 0; first < rows; first += atOnce) {
    const count = Math.min(atOnce, rows - first);
    const calls = Array.from({ length: count }, (_, at) =>
      drawCall(first + at, begin + Math.floor(((first + at) * (end - begin)) / rows), random),
    );
    await Promise.all(calls.map((call) => storage.ledger.settle(call)));
    if (first % 500_000 === 0)
      report(`${first + count} calls: ${Math.round((performance.now() - start) / 1000)} s`);
  }
  await buyCredits(storage);
}

function describe(file: string, samples: number) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const calls = Number(database.prepare('select max(rowid) as calls from generations').get()?.calls);
    const find = database.prepare('select id from generations where rowid = ?');
    const places = Array.from({ length: samples }, (_, at) => 1 + Math.floor((calls * (at + 0.5)) / samples));
    return { calls, ids: places.map((place) => String(find.get(place)?.id)) };
  } finally {
    database.close();
  }
}
