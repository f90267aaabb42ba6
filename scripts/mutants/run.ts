import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Baseline } from './baseline.ts';
import { NearestTests } from './nearest-tests.ts';
import { Results } from './results.ts';
import { stopWithSignals, type TestPlace } from './run-test.ts';
import { TestRunner } from './test-runner.ts';
import { draw, type Trial, trialsOf } from './trials.ts';

/**
 * Changes one expression at a time in the code that money, access and secrets rest on, and runs the tests that import
 * the file. A change that no test notices names a missing test. Reports and never fails: whether a survivor matters is
 * for people to say.
 */
const help = `Usage: npm run mutants -- [options]

  --sample N    changes to try (300)
  --seed S      which ones (1)
  --tests N     test files a change is tried against, the nearest first (40)
  --only TEXT   files whose path contains this
  --pick LIST   only these of the sample, by their numbers: 3,17 (all)
  --jobs N      changes to try at the same time (2)
  --out FILE    write each result there, and skip what it has already
  --again       try once more what survived according to --out
`;

/** Where a silent bug costs money or secrets. */
const watched = [
  /^src\/settlement\//,
  /^src\/pipeline\//,
  /^src\/operations\//,
  /^src\/vault\//,
  /^src\/secrets\//,
  /^src\/storage\//,
  /^src\/shared-state\/memory\//,
  /^src\/stages\//,
  /^src\/edge\/(authenticate|idempot|allowed-addresses|read-body|body-budget)/,
  /^src\/core\/(money|byok-fee|usage|price-in-effect)/,
  /^src\/routing\/(own-credentials|credentialed-endpoints|constraints|policy-filters|availability|attempt)\.ts/,
  /^src\/util\/utc-windows/,
];
const unwatched = /\.test\.ts$|\/(postgres|redis)\//;

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    pick: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
    out: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else await tryMutations();

async function tryMutations(): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
  const files = tracked.filter((file) => file.endsWith('.ts'));
  const sample = draw(
    files
      .filter((file) => watched.some((rule) => rule.test(file)) && !unwatched.test(file))
      .filter((file) => file.includes(values.only))
      .flatMap((file) => trialsOf(file, readFileSync(join(root, file), 'utf8'))),
    Number(values.sample),
    values.seed,
  );
  const results = new Results(values.out);
  const picked = new Set(values.pick.split(',').filter(Boolean).map(Number));
  const chosen = sample.filter((_trial, index) => picked.size === 0 || picked.has(index + 1));
  const trials = chosen.filter((trial) => {
    const before = results.of(trial);
    return before === undefined || (values.again && before.by === null);
  });
  stopWithSignals();
  const folder = mkdtempSync(join(tmpdir(), 'headgate-mutants-'));
  try {
    const copies = [
      'unchanged',
      ...Array.from({ length: Number(values.jobs) }, (_, job) => `job-${job}`),
    ].map((name) => copyOf(root, tracked, folder, name));
    await runAll(trials, sample, new NearestTests(root, files), copies, results);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  report(chosen, results);
}

async function runAll(
  trials: readonly Trial[],
  sample: readonly Trial[],
  nearest: NearestTests,
  [unchanged, ...copies]: readonly TestPlace[],
  results: Results,
): Promise<void> {
  if (unchanged === undefined) return;
  const baseline = new Baseline(unchanged, trials);
  const noticed = new Map<string, number>();
  const waiting = [...trials];
  const lane = async (copy: TestPlace) => {
    const runner = new TestRunner(copy, baseline, noticed);
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const began = performance.now();
      const by = await runner.firstFailure(trial, nearest.of(trial.file), Number(values.tests));
      results.add(trial, by);
      process.stdout.write(
        `${sample.indexOf(trial) + 1}/${sample.length} ${by === undefined ? 'SURVIVED' : 'noticed '} ` +
          `${((performance.now() - began) / 1000).toFixed(1)} s ${trial.words}${by === undefined ? '' : ` (${by})`}\n`,
      );
    }
  };
  await Promise.all(copies.map(lane));
  for (const test of await baseline.failing()) process.stdout.write(`fails without a change: ${test}\n`);
}

function report(chosen: readonly Trial[], results: Results): void {
  const survivors = chosen.filter((trial) => results.of(trial)?.by === null);
  const noticed = chosen.length - survivors.length;
  const share = chosen.length === 0 ? 0 : (100 * noticed) / chosen.length;
  process.stdout.write(
    `\n${noticed} of ${chosen.length} changes noticed (${share.toFixed(1)} %), seed ${values.seed}\n`,
  );
  for (const trial of survivors) process.stdout.write(`  survived: ${trial.words}\n`);
}

/** The checkout without its history, to be changed at will. What its tests leave behind lies beside it. */
function copyOf(root: string, tracked: readonly string[], folder: string, name: string): TestPlace {
  const copy = join(folder, name, 'headgate');
  const temporary = join(folder, name, 't');
  for (const file of tracked) cpSync(join(root, file), join(copy, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(temporary);
  return { folder: copy, env: { NODE_COMPILE_CACHE: join(folder, 'compiled'), TMPDIR: temporary } };
}
