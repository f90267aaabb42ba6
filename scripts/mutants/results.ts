import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Trial } from './trials.ts';

/** What became of a trial. */
export interface Result {
  readonly id: string;
  readonly words: string;
  /** The test file that noticed the change, or null: it survived. */
  readonly by: string | null;
}

/** The results of a run, each written as it comes, so that a run can be stopped and gone on with. */
export class Results {
  readonly #file: string;
  readonly #byId = new Map<string, Result>();

  /** @param file Lines of JSON, of earlier runs too; empty: none is written. */
  constructor(file: string) {
    this.#file = file;
    if (file === '' || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const result: Result = JSON.parse(line);
      this.#byId.set(result.id, result);
    }
  }

  of(trial: Trial): Result | undefined {
    return this.#byId.get(trial.id);
  }

  add({ id, words }: Trial, by: string | undefined): void {
    const result: Result = { id, words, by: by ?? null };
    this.#byId.set(id, result);
    if (this.#file !== '') appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }
}
