/**
 * Builds the pages of the dashboard into dist/dashboard. Does nothing where its inputs have not changed. With --quiet a failure is
 * only reported: `npm ci` must not fail because of it, and the server builds again when it is asked for a page.
 */
import { buildDashboard } from './dashboard-build.ts';

const isQuiet = process.argv.includes('--quiet');
try {
  const start = performance.now();
  const built = await buildDashboard();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (!isQuiet) console.log(built ? `dashboard built in ${seconds} s` : 'dashboard: nothing has changed');
} catch (error) {
  console.error(`the dashboard was not built: ${error instanceof Error ? error.message : error}`);
  if (!isQuiet) process.exitCode = 1;
}
