import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where `scripts/build-dashboard.ts` puts the pages; beside the compiled sources in the package. */
export const builtFolder = join(import.meta.dirname, '../../../dist/dashboard');

/** One file as browsers get it. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Compressed when it was built; undefined where that saves nothing. */
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** The pages of the dashboard, read once. */
export interface BuiltPages {
  /** The HTML that every page begins with. */
  readonly shell: string;
  readonly shellTag: string;
  /** By name. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** The built pages; undefined where nobody has built them. */
export function readBuiltPages(folder: string = builtFolder): BuiltPages | undefined {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) return undefined;
  const shell = readFileSync(file, 'utf8');
  const place = join(folder, 'assets');
  const names = readdirSync(place);
  const known = new Set(names);
  const read = (name: string) => (known.has(name) ? readFileSync(join(place, name)) : undefined);
  const assets = new Map<string, BuiltFile>();
  for (const name of names) {
    const type = types[name.split('.').at(-1) ?? ''];
    const plain = type === undefined ? undefined : read(name);
    if (type === undefined || plain === undefined) continue;
    assets.set(name, { type, plain, brotli: read(`${name}.br`), gzip: read(`${name}.gz`) });
  }
  return { shell, shellTag: `"${hash('sha256', shell, 'base64url').slice(0, 16)}"`, assets };
}
