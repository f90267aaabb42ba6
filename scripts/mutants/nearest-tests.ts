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

  /** At most so many test files, those with the fewest files between first. */
  of(file: string, most: number): readonly string[] {
    const tests: string[] = [];
    const seen = new Set([file]);
    for (let ring: readonly string[] = [file]; ring.length > 0 && tests.length < most; ) {
      const next = ring.flatMap((one) => this.#importers.get(one) ?? []).filter((one) => !seen.has(one));
      for (const one of next) seen.add(one);
      ring = [...new Set(next)];
      tests.push(...ring.filter((one) => one.endsWith('.test.ts') && !slow.test(one)).sort(byRelation(file)));
    }
    return tests.slice(0, most);
  }
}

/** The file's own test, then conformance suites, then tests of the same folder, then others. */
function byRelation(file: string): (one: string, other: string) => number {
  const own = file.slice(0, -'.ts'.length);
  const place = (test: string) => {
    if (test.startsWith(`${own}.`) || test.startsWith(`${own}-`)) return 0;
    if (test.startsWith('test/conformance/')) return 1;
    return dirname(test) === dirname(file) ? 2 : 3;
  };
  return (one, other) => place(one) - place(other) || (one < other ? -1 : 1);
}
