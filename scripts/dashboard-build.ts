import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { InlineConfig } from 'vite';
import { mitLicence } from './mit-licence.ts';

export const root = join(import.meta.dirname, '..');
const source = join(root, 'dashboard');
const target = join(root, 'dist/dashboard');
const record = join(target, 'build.json');

/** What a build was made from, and the bytes that browsers load, compressed. */
export interface BuildRecord {
  readonly inputs: string;
  /** By name of the asset: bytes plain and by gzip. */
  readonly sizes: Readonly<Record<string, { readonly plain: number; readonly gzip: number }>>;
  /** Scripts that are loaded before the first page works. */
  readonly initial: readonly string[];
}

/** The configuration for both building and developing. */
export const viteConfig: InlineConfig = {
  root: source,
  configFile: false,
  envDir: false,
  base: './',
  logLevel: 'warn',
  publicDir: false,
};

/** The record of the last build; undefined without any. */
export function readBuildRecord(): BuildRecord | undefined {
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : undefined;
}

/** Builds the dashboard into dist/dashboard, unless nothing has changed since. Returns whether it built. */
export async function buildDashboard(): Promise<boolean> {
  const inputs = hashInputs();
  if (readBuildRecord()?.inputs === inputs) return false;
  const { build } = await import('vite');
  const fresh = `${target}.${process.pid}`;
  try {
    await build({
      ...viteConfig,
      build: {
        outDir: fresh,
        emptyOutDir: true,
        target: ['chrome123', 'firefox121', 'safari17.5'],
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        cssCodeSplit: true,
        rolldownOptions: { input: join(source, 'index.html') },
      },
    });
    writeFileSync(join(fresh, 'licenses.txt'), licences());
    writeFileSync(join(fresh, 'build.json'), JSON.stringify({ inputs, ...compress(fresh) }));
    mkdirSync(join(root, 'dist'), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

/** The packages that end up in the pages; what they need in turn is found in them. */
const bundled = [
  'preact',
  '@preact/signals',
  '@tanstack/query-core',
  'd3-scale',
  'd3-shape',
  'marked',
  '@cfworker/json-schema',
];

/** The licence texts of all bundled packages, which have to go with the built files. */
function licences(): string {
  const found = new Map<string, string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    const folder = join(root, 'node_modules', name);
    const {
      version,
      license,
      author,
      dependencies = {},
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined && (license !== 'MIT' || typeof author !== 'string'))
      throw new Error(`${name} has no licence text`);
    const text = file === undefined ? mitLicence(author) : readFileSync(join(folder, file), 'utf8').trim();
    found.set(name, `${name} ${version} (${license})\n\n${text}\n`);
    for (const needed of Object.keys(dependencies)) add(needed);
  };
  for (const name of bundled) add(name);
  return [...found.values()].join(`\n${'-'.repeat(72)}\n\n`);
}

/** A hash of everything that decides what is built. */
function hashInputs(): string {
  const hash = createHash('sha256');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|css|html|svg|json)$/.test(file) && !file.endsWith('.test.ts'))
    .sort();
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(source, file)));
  for (const file of ['package-lock.json', 'scripts/dashboard-build.ts']) {
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Compresses every asset once, so that no server has to. */
function compress(folder: string): Pick<BuildRecord, 'sizes' | 'initial'> {
  const assets = join(folder, 'assets');
  const sizes: Record<string, { plain: number; gzip: number }> = {};
  for (const name of readdirSync(assets)) {
    const plain = readFileSync(join(assets, name));
    const gzip = gzipSync(plain, { level: 9 });
    if (gzip.length < plain.length * 0.95) {
      writeFileSync(join(assets, `${name}.gz`), gzip);
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(plain));
    }
    sizes[name] = { plain: plain.length, gzip: gzip.length };
  }
  const shell = readFileSync(join(folder, 'index.html'), 'utf8');
  const initial = [...shell.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = '']) => name);
  return { sizes, initial };
}
