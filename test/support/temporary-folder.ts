import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/**
 * Makes an empty folder that is removed when the process of the test file ends: hooks of a test run in the order they
 * were made, so one that removed it would come before those that close what still writes there.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-'));
  folders.push(folder);
  return folder;
}
