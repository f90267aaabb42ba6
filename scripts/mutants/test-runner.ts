import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Baseline } from './baseline.ts';
import { runTest, type TestPlace } from './run-test.ts';
import type { Trial } from './trials.ts';

/** Milliseconds a test file may take with a change, and how many times as long as without one: it hangs. */
const patience = 20_000;
const timesAsLong = 6;
/** Of so many test files that may be tried, one may be a file that does not reach the change as far as is known. */
const othersOf = 5;
/** Files to look at for each one that may be tried: code that no test reaches must not make all of them run. */
const looksFor = 5;

/**
 * Tries changes in one copy of the checkout. Runs what noticed the most changes of a file so far first, then the
 * nearest test file that reaches the change.
 */
export class TestRunner {
  readonly #place: TestPlace;
  readonly #baseline: Baseline;
  /** How many changes a test file noticed, by changed file and test file. Shared by all runners. */
  readonly #noticed: Map<string, number>;

  constructor(place: TestPlace, baseline: Baseline, noticed: Map<string, number>) {
    this.#place = place;
    this.#baseline = baseline;
    this.#noticed = noticed;
  }

  /**
   * The first test file that fails twice while the change is made and passes without it, or `undefined`.
   *
   * @param tests Those that import the changed file, the nearest first.
   * @param most Test files to run at most.
   */
  async firstFailure(trial: Trial, tests: readonly string[], most: number): Promise<string | undefined> {
    const count = (test: string) => this.#noticed.get(`${trial.file} ${test}`) ?? 0;
    const others: string[] = [];
    let tried = 0;
    const near = tests.slice(0, most * looksFor).sort((one, other) => count(other) - count(one));
    for (const [at, test] of near.entries()) {
      if (tried === most) break;
      // The next one meanwhile: the first files of a change are the ones that nobody has run yet.
      for (const next of near.slice(at + 1, at + 2)) void this.#baseline.of(next);
      const { passes, reached } = await this.#baseline.of(test);
      if (!passes) continue;
      if (!reached.has(trial)) {
        others.push(test);
        continue;
      }
      tried += 1;
      if (!(await this.#notices(test, trial))) continue;
      this.#noticed.set(`${trial.file} ${test}`, count(test) + 1);
      return test;
    }
    for (const test of others.slice(0, Math.ceil(most / othersOf))) {
      if (await this.#notices(test, trial)) return test;
    }
    return undefined;
  }

  /** Fails it twice: a machine that is busy for a moment must not count as a test that notices. */
  async #notices(test: string, trial: Trial): Promise<boolean> {
    return !(await this.#passesWith(test, trial)) && !(await this.#passesWith(test, trial));
  }

  async #passesWith(test: string, { file, mutation }: Trial): Promise<boolean> {
    const { milliseconds } = await this.#baseline.of(test);
    const path = join(this.#place.folder, file);
    const source = readFileSync(path, 'utf8');
    const { start, end, replacement } = mutation;
    writeFileSync(path, source.slice(0, start) + replacement + source.slice(end));
    try {
      return (await runTest(test, this.#place, patience + timesAsLong * milliseconds)).passed;
    } finally {
      writeFileSync(path, source);
    }
  }
}
