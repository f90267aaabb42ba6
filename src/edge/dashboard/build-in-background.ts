import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EdgeLog } from '../edge-services.ts';

const root = join(import.meta.dirname, '../../..');
const script = join(root, 'scripts/build-dashboard.ts');
const builder = join(root, 'node_modules/vite/package.json');

let isRunning = false;
let hasFailed = false;

/**
 * Builds the dashboard in a process of its own, once at a time. Returns false where it cannot be built here: the package has no
 * sources, or a build has failed.
 */
export function buildInBackground(log: EdgeLog): boolean {
  if (isRunning) return true;
  if (hasFailed || !existsSync(script) || !existsSync(builder)) return false;
  isRunning = true;
  const child = spawn(process.execPath, [script], { cwd: root, stdio: 'ignore' });
  const end = (failed: boolean) => {
    isRunning = false;
    hasFailed = failed;
    if (failed) log.error('the dashboard cannot be built: run "npm run build:dashboard" to see why');
    else log.info('the dashboard is built');
  };
  child.once('error', () => end(true));
  child.once('exit', (code) => end(code !== 0));
  return true;
}
