import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const cache = join(root, '.cache/e2e');
/** Milliseconds. */
const keptFor = 30 * 60_000;
/** Everything the published package is made of. */
const sources = [
  'src',
  'bin',
  'dashboard',
  'scripts/build.ts',
  'scripts/dashboard-build.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.build.json',
];

let installed: string | undefined;

/**
 * The folder of commands of the built package, installed from its tarball as a user would. Built and installed
 * once for each state of the sources: the files of the suite share it, and a later run too. HEADGATE_E2E_PACKAGE
 * names a folder where a package is installed already, to run the suite against that one.
 */
export function installPackage(): string {
  installed ??= findOrInstall();
  return installed;
}

function findOrInstall(): string {
  const folder = process.env.HEADGATE_E2E_PACKAGE ?? join(cache, `package-${fingerprint()}`);
  if (!existsSync(folder)) install(folder);
  return join(folder, 'node_modules/.bin');
}

function install(folder: string): void {
  const unfinished = join(cache, `unfinished-${process.pid}`);
  mkdirSync(unfinished, { recursive: true });
  const npm = (directory: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  npm(root, 'pack', '--pack-destination', unfinished);
  const tarball = readdirSync(unfinished).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');
  writeFileSync(join(unfinished, 'package.json'), '{ "private": true }\n');
  npm(unfinished, 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`);
  removeEarlier();
  // In one step, so that a run which was broken off leaves nothing that looks installed.
  renameSync(unfinished, folder);
}

/** Removes what earlier runs installed; a recent one may belong to a run that still goes on. */
function removeEarlier(): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    if (Date.now() - statSync(folder).mtimeMs < keptFor) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesOf(source)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function filesOf(source: string): string[] {
  if (source.includes('.')) return [source];
  return readdirSync(join(root, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
