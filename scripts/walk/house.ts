import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A TypeScript file below `src/`. */
export interface SourceFile {
  /** From the root of the checkout. */
  readonly path: string;
  readonly text: string;
  /** The local files it imports, as paths from the root; types count too. */
  readonly imports: readonly string[];
}

/**
 * How the source of a checkout is cut into files, as a table: tests do not count, neither as files nor as importers;
 * imports of types do.
 */
export function measureHouse(checkout: string): string {
  const files = readSources(checkout).filter(({ path }) => !path.endsWith('.test.ts'));
  const importers = new Map<string, string[]>(files.map(({ path }) => [path, []]));
  for (const { path, imports } of files) for (const other of imports) importers.get(other)?.push(path);
  const single = [...importers].filter(([, by]) => by.length === 1);
  const sameFolder = single.filter(([path, [by = '']]) => dirname(path) === dirname(by));
  const lengths = files.map(({ text }) => text.split('\n').length - 1).sort((one, other) => one - other);
  const quantile = (share: number) => lengths[Math.floor(share * (lengths.length - 1))];
  const rows = [
    ['source files without tests', files.length],
    ['their lines', lengths.reduce((sum, lines) => sum + lines, 0)],
    ['lines of a file: median', quantile(0.5)],
    ['lines of a file: 90th percentile', quantile(0.9)],
    ['files imported by exactly one other', single.length],
    ['… of its own folder', sameFolder.length],
  ];
  return `| house | |\n|---|--:|\n${rows.map(([name, value]) => `| ${name} | ${value} |\n`).join('')}`;
}

/** Every TypeScript file below `src/` of a checkout, tests too. */
export function readSources(checkout: string): readonly SourceFile[] {
  return readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const path = join('src', file);
      const text = readFileSync(join(checkout, path), 'utf8');
      const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to = '']) =>
        relative(checkout, join(checkout, dirname(path), to)),
      );
      return { path, text, imports: [...new Set(found)] };
    });
}
