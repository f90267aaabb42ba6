import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../../test/routing/random-numbers.ts';
import { findMutations, type Mutation } from './find-mutations.ts';
import { NearestTests } from './nearest-tests.ts';
import { TestRunner } from './test-runner.ts';

/**
 * Changes one expression at a time in the code that money, access and secrets rest on, and runs the tests that import
 * the file. A change that no test notices names a missing test. Reports and never fails: whether a survivor matters is
 * for people to say.
 */
const help = `Usage: npm run mutants -- [options]

  --sample N    mutations to try (300)
  --seed S      which ones (1)
  --tests N     test files a mutation is tried against, the nearest first (40)
  --only TEXT   files whose path contains this
  --pick LIST   only these of the sample, by their numbers: 3,17 (all)
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

interface Trial {
  readonly file: string;
  readonly mutation: Mutation;
}

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    pick: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else await tryMutations();

async function tryMutations(): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  const list = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' });
  const files = list.split('\n').filter(Boolean);
  const nearest = new NearestTests(root, files);
  const sample = draw(
    files
      .filter((file) => watched.some((rule) => rule.test(file)) && !unwatched.test(file))
      .filter((file) => file.includes(values.only))
      .flatMap((file) =>
        findMutations(readFileSync(join(root, file), 'utf8')).map((mutation) => ({ file, mutation })),
      ),
    Number(values.sample),
    Number(values.seed),
  );
  const picked = new Set(values.pick.split(',').filter(Boolean).map(Number));
  const trials = sample
    .map((trial, index) => ({ ...trial, number: index + 1 }))
    .filter(({ number }) => picked.size === 0 || picked.has(number));
  const copy = copyOf(root, files);
  const runner = new TestRunner(copy);
  const survivors: Trial[] = [];
  try {
    for (const trial of trials) {
      const began = performance.now();
      const by = await noticedBy(trial, copy, nearest.of(trial.file, Number(values.tests)), runner);
      if (by === undefined) survivors.push(trial);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(
        `${trial.number}/${sample.length} ${by === undefined ? 'SURVIVED' : 'noticed '} ${seconds} s ` +
          `${show(trial, root)}${by === undefined ? '' : ` (${by})`}\n`,
      );
    }
  } finally {
    rmSync(dirname(copy), { recursive: true, force: true });
  }
  const noticed = trials.length - survivors.length;
  const share = trials.length === 0 ? 0 : (100 * noticed) / trials.length;
  process.stdout.write(
    `\n${noticed} of ${trials.length} mutations noticed (${share.toFixed(1)} %), seed ${values.seed}\n`,
  );
  for (const test of runner.failing) process.stdout.write(`  fails without a mutation: ${test}\n`);
  for (const trial of survivors) process.stdout.write(`  survived: ${show(trial, root)}\n`);
}

/** So many of all, drawn by the seed. */
function draw(trials: readonly Trial[], count: number, seed: number): readonly Trial[] {
  const number = randomNumbers(seed);
  const keyed = trials.map((trial) => ({ trial, key: number() }));
  return keyed
    .sort((one, other) => one.key - other.key)
    .slice(0, count)
    .map(({ trial }) => trial);
}

/** The checkout without its history, to be changed at will. */
function copyOf(root: string, files: readonly string[]): string {
  const parent = mkdtempSync(join(tmpdir(), 'headgate-mutants-'));
  const copy = join(parent, 'headgate');
  const all = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const file of new Set([...files, ...all])) {
    cpSync(join(root, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function noticedBy(
  { file, mutation }: Trial,
  copy: string,
  tests: readonly string[],
  runner: TestRunner,
): Promise<string | undefined> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const { start, end, replacement } = mutation;
  const mutated = source.slice(0, start) + replacement + source.slice(end);
  return runner.firstFailure(
    file,
    tests,
    () => writeFileSync(path, mutated),
    () => writeFileSync(path, source),
  );
}

function show({ file, mutation: { start, end, replacement } }: Trial, root: string): string {
  const source = readFileSync(join(root, file), 'utf8');
  const line = source.slice(0, start).split('\n').length;
  const short = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}...` : text).replaceAll('\n', ' ');
  return `${file}:${line}: ${short(source.slice(start, end))} -> ${short(replacement) || '(nothing)'}`;
}
