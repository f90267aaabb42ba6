import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTest, type TestPlace } from './run-test.ts';
import type { Trial } from './trials.ts';

/** Milliseconds a test file may take without a change. */
const patience = 300_000;

/** How a test file runs without any change. */
export interface Unchanged {
  readonly passes: boolean;
  readonly milliseconds: number;
  /** The trials whose code it ran. What a killed process ran is not among them. */
  readonly reached: ReadonlySet<Trial>;
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Profile {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** Runs each test file once without a change, when it is first asked for. */
export class Baseline {
  readonly #place: TestPlace;
  readonly #runs = new Map<string, Promise<Unchanged>>();
  /** The trials, by the path of their file in the copy. */
  readonly #trials = new Map<string, Trial[]>();

  /** @param place A checkout that nobody changes. */
  constructor(place: TestPlace, trials: readonly Trial[]) {
    this.#place = place;
    for (const trial of trials) {
      const path = join(place.folder, trial.file);
      const others = this.#trials.get(path);
      if (others === undefined) this.#trials.set(path, [trial]);
      else others.push(trial);
    }
  }

  of(test: string): Promise<Unchanged> {
    const known = this.#runs.get(test);
    if (known !== undefined) return known;
    const run = this.#run(test);
    this.#runs.set(test, run);
    return run;
  }

  /** Test files that fail without a change. They say nothing. */
  async failing(): Promise<readonly string[]> {
    const runs = [...this.#runs].map(async ([test, run]) => ({ test, passes: (await run).passes }));
    return (await Promise.all(runs)).filter(({ passes }) => !passes).map(({ test }) => test);
  }

  async #run(test: string): Promise<Unchanged> {
    const { folder, env } = this.#place;
    const coverage = mkdtempSync(join(folder, '../coverage-'));
    // Functions that come out of the compile cache are counted as a whole.
    const place = {
      folder,
      env: { ...env, NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: '1' },
    };
    const { passed, milliseconds } = await runTest(test, place, patience);
    const reached = new Set<Trial>();
    for (const name of readdirSync(coverage)) this.#addReached(join(coverage, name), reached);
    rmSync(coverage, { recursive: true });
    return { passes: passed, milliseconds, reached };
  }

  #addReached(file: string, reached: Set<Trial>): void {
    const text = readFileSync(file, 'utf8');
    // A process that was killed while it wrote leaves half a file.
    if (!text.endsWith('}')) return;
    const profile: Profile = JSON.parse(text);
    for (const { url, functions } of profile.result) {
      const trials = url.startsWith('file:') ? this.#trials.get(fileURLToPath(url.split('?')[0] ?? url)) : [];
      for (const trial of trials ?? []) {
        if (isRun(trial.mutation.start, functions)) reached.add(trial);
      }
    }
  }
}

/** Whether the code at this place ran: the smallest range around it counts. */
function isRun(place: number, functions: Profile['result'][number]['functions']): boolean {
  let smallest: Range | undefined;
  for (const range of functions.flatMap(({ ranges }) => ranges)) {
    if (range.startOffset > place || range.endOffset <= place) continue;
    const length = range.endOffset - range.startOffset;
    if (smallest === undefined || length <= smallest.endOffset - smallest.startOffset) smallest = range;
  }
  return smallest !== undefined && smallest.count > 0;
}
