import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Test files of the slow suites, which need servers or a built package. */
const slow = /^test\/(e2e|servers|hostile|dashboard)\//;

/** Finds the tests that import a file, through however many others: the nearest first. */
export class NearestTests {
  /** The files that import a file. */
  readonly #importers = new Map<string, string[]>();

  /**
   * @param root The folder of the checkout.
   * @param files TypeScript files, as paths from the root.
   */
  constructor(root: string, files: readonly string[]) {
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const [, path = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g)) {
        const imported = normalize(join(dirname(file), path));
        const importers = this.#importers.get(imported);
        if (importers === undefined) this.#importers.set(imported, [file]);
        else importers.push(file);
      }
    }
  }

  /** At most so many test files, those with the fewest files between first, and the conformance suites before others. */
  of(file: string, most: number): readonly string[] {
    const tests: string[] = [];
    const seen = new Set([file]);
    for (let ring: readonly string[] = [file]; ring.length > 0 && tests.length < most; ) {
      const next = ring.flatMap((one) => this.#importers.get(one) ?? []).filter((one) => !seen.has(one));
      for (const one of next) seen.add(one);
      ring = [...new Set(next)];
      tests.push(...ring.filter((one) => one.endsWith('.test.ts') && !slow.test(one)).sort(conformanceFirst));
    }
    return tests.slice(0, most);
  }
}

function conformanceFirst(one: string, other: string): number {
  const place = (file: string) => (file.startsWith('test/conformance/') ? 0 : 1);
  return place(one) - place(other) || (one < other ? -1 : 1);
}
