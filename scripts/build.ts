/** Builds the published JavaScript and declarations into an empty dist; the pages of the dashboard stay as they are. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'dashboard') rmSync(join(dist, name), { recursive: true, force: true });
}
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
// Maps of characters for older documents in Chinese, Japanese and Korean, with their licence.
cpSync(join(root, 'node_modules/pdfjs-dist/cmaps'), join(dist, 'documents/cmaps'), { recursive: true });
