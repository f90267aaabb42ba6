import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Milliseconds a test file may take before a mutation counts as noticed: it hangs. */
const patience = 120_000;
/** The same where it is known how long the file takes without one: so much, and a few times as long. */
const shortPatience = 10_000;
const timesAsLong = 4;

/**
 * Runs the test files of a copy of the checkout, one at a time. Tries first what noticed the most mutations of a file
 * so far, then the nearest.
 */
export class TestRunner {
  /** Test files that fail without any mutation. They say nothing. */
  readonly failing = new Set<string>();
  readonly #copy: string;
  /** Test files that pass without any mutation, or with one, and the milliseconds that took. */
  readonly #durations = new Map<string, number>();
  /** How many mutations a test file noticed, by mutated file and test file. */
  readonly #noticed = new Map<string, number>();

  constructor(copy: string) {
    this.#copy = copy;
  }

  /**
   * The first test file that fails while `file` is changed, or `undefined`.
   *
   * @param change Changes the file.
   * @param restore Undoes the change.
   */
  async firstFailure(
    file: string,
    tests: readonly string[],
    change: () => void,
    restore: () => void,
  ): Promise<string | undefined> {
    const count = (test: string) => this.#noticed.get(`${file} ${test}`) ?? 0;
    for (const test of [...tests].sort((one, other) => count(other) - count(one))) {
      if (this.failing.has(test)) continue;
      change();
      const passed = await this.#passes(test);
      restore();
      if (passed) continue;
      if (await this.#isSound(test)) {
        this.#noticed.set(`${file} ${test}`, count(test) + 1);
        return test;
      }
    }
    return undefined;
  }

  async #isSound(test: string): Promise<boolean> {
    if (this.#durations.has(test)) return true;
    const passes = await this.#passes(test);
    if (!passes) this.failing.add(test);
    return passes;
  }

  /** Ends the process at the first test that fails. */
  #passes(test: string): Promise<boolean> {
    const began = performance.now();
    const known = this.#durations.get(test);
    const limit = known === undefined ? patience : shortPatience + timesAsLong * known;
    return new Promise((resolve) => {
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', test],
        {
          cwd: this.#copy,
          stdio: ['ignore', 'pipe', 'ignore'],
          detached: true,
          env: { ...process.env, NODE_COMPILE_CACHE: join(this.#copy, '../compiled') },
        },
      );
      const end = (passed: boolean) => {
        clearTimeout(timer);
        if (passed) this.#durations.set(test, performance.now() - began);
        // What a test started must not outlive it.
        if (child.pid !== undefined) stopGroup(child.pid);
        resolve(passed);
      };
      const timer = setTimeout(end, limit, false);
      let line = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        line = line.slice(line.lastIndexOf('\n') + 1) + text;
        if (/^ *not ok \d+ (?!.*# TODO)/m.test(line)) end(false);
      });
      child.once('exit', (code) => end(code === 0));
    });
  }
}

function stopGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
