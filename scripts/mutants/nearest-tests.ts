import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** Test files of the slow suites, which need servers or a built package. */
const slow = /^test\/(e2e|servers|hostile|dashboard)\//;
const usual = new Set(['src', 'test', 'ts', 'of', 'the', 'in', 'to', 'by', 'memory', 'sql', 'store']);

/** Finds the tests that import a file, through however many others. */
export class NearestTests {
  /** The files that import a file, or start it as a thread. */
  readonly #importers = new Map<string, string[]>();

  /**
   * @param root The folder of the checkout.
   * @param files TypeScript files, as paths from the root.
   */
  constructor(root: string, files: readonly string[]) {
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const [, path = ''] of text.matchAll(/['`](\.[^'`\n]+\.(?:ts|\$\{extension\}))['`]/g)) {
        const imported = normalize(join(dirname(file), path.replace(/\$\{extension\}$/, 'ts')));
        const importers = this.#importers.get(imported);
        if (importers === undefined) this.#importers.set(imported, [file]);
        else importers.push(file);
      }
    }
  }

  /** The nearest first. */
  of(file: string): readonly string[] {
    const tests: { readonly test: string; readonly distance: number }[] = [];
    const seen = new Set([file]);
    let ring: readonly string[] = [file];
    for (let steps = 0; ring.length > 0; steps += 1) {
      ring = [...new Set(ring.flatMap((one) => this.#importers.get(one) ?? []))].filter(
        (one) => !seen.has(one),
      );
      for (const one of ring) seen.add(one);
      for (const test of ring.filter((one) => one.endsWith('.test.ts') && !slow.test(one))) {
        tests.push({ test, distance: steps - nearness(file, test) });
      }
    }
    tests.sort((one, other) => one.distance - other.distance || (one.test < other.test ? -1 : 1));
    return tests.map(({ test }) => test);
  }
}

/** How many steps nearer a test counts: the file's own, one named alike, a conformance suite, one of the same folder. */
function nearness(file: string, test: string): number {
  const own = file.slice(0, -'.ts'.length);
  if (test.startsWith(`${own}.`) || test.startsWith(`${own}-`)) return 9;
  const named = 2 * wordsOf(basename(test)).filter((word) => wordsOf(file).includes(word)).length;
  if (test.startsWith('test/conformance/')) return 2 + named;
  return (dirname(test) === dirname(file) ? 1 : 0) + named;
}

/** The words of a path, without those that say nothing; "guardrails" and "guardrail" are one. */
function wordsOf(path: string): readonly string[] {
  return path.split(/[/.-]/).flatMap((word) => (usual.has(word) ? [] : [word.replace(/s$/, '')]));
}
