import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Test files of one run of the test runner. */
interface Run {
  readonly files: readonly string[];
  /** Whether they share one process: starting one takes longer than most files do. */
  readonly isShared: boolean;
}

/** Files of a run: few enough that the runs end at about the same time. */
const filesInRun = 12;
/** Runs at the same time: more than most machines have processors to spare, because tests also wait. */
const lanes = 3;

/** A file that cannot share a process: the environment is everybody's, and so is the heap that one counts objects in. */
const needsProcess = /process\.env\.[A-Z_]+ =|queryObjects/;

const beside = globSync(['src/**/*.test.ts', 'bench/*.test.ts']);
const apart = globSync(['test/*.test.ts', 'test/!(analyzer|e2e|servers|dashboard)/**/*.test.ts']);
const [alone, together] = [true, false].map((isAlone) =>
  apart.filter((file) => needsProcess.test(readFileSync(file, 'utf8')) === isAlone),
);
const runs: Run[] = [
  { files: beside, isShared: true },
  ...inRuns(alone ?? [], false),
  ...inRuns(together ?? [], true),
];

/** What the test runner counts, each by its own word. */
const totals = new Map<string, number>();
/** What is said of files that are not on this machine; every process that misses one says it. */
const notes = new Set<string>();
const failures: string[] = [];
const begin = performance.now();

/**
 * Runs the default suite: the tests beside the sources in one process, those of `test/` a dozen in each where they can
 * share one. Prints what each run said once it is over, and in the end what all of them came to.
 */
await Promise.all(
  Array.from({ length: lanes }, async () => {
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
      if ((await runTests(run)) !== 0) process.exitCode = 1;
    }
  }),
);

console.log(
  ['', ...notes, 'All runs together:', ...Array.from(totals, ([name, count]) => `  ${name} ${count}`)].join(
    '\n',
  ),
);
console.log(`  seconds ${((performance.now() - begin) / 1000).toFixed(0)}`);
for (const failure of failures) console.log(`  ✖ ${failure}`);

/** Runs with files of all sizes, so that they take about the same time. */
function inRuns(files: readonly string[], isShared: boolean): readonly Run[] {
  const count = Math.ceil(files.length / filesInRun);
  const bySize = files.toSorted((one, other) => statSync(other).size - statSync(one).size);
  return Array.from({ length: count }, (_, run) => ({
    files: bySize.filter((_file, at) => at % count === run),
    isShared,
  }));
}

/** The exit code. */
async function runTests({ files, isShared }: Run): Promise<number> {
  const isolation = isShared ? '--test-isolation=none' : '--test-concurrency=1';
  const paths = isShared ? [join(import.meta.dirname, 'share-process.ts')] : files;
  const child = spawn(process.execPath, ['--test', '--test-timeout=600000', isolation, ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(isShared && { TEST_FILES: files.join('\n') }) },
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, 'close');
  const text = Buffer.concat(said).toString();
  process.stdout.write(text.split('\n').filter(isOfRun).join('\n'));
  // Everything behind this line is said again, with the reasons.
  const [, reasons = ''] = text.split('✖ failing tests:');
  const named = Array.from(reasons.matchAll(/^✖ (.*) \([\d.]+ms\)$/gm), ([, name]) => name ?? '');
  failures.push(...named);
  if (code !== 0 && named.length === 0) failures.push(`the run of ${files.join(', ')} ended with ${code}`);
  return Number(code ?? 1);
}

/** Whether a line is of its run alone. Others are noted, and said once at the end. */
function isOfRun(line: string): boolean {
  const [, name, count] = /^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line) ?? [];
  if (name !== undefined) totals.set(name, (totals.get(name) ?? 0) + Number(count));
  const isNote = / skipped: no /.test(line);
  if (isNote) notes.add(line);
  return name === undefined && !isNote;
}
