import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes an empty folder that is removed when the process of the test file ends: hooks of a test run in the order they
 * were made, so one that removed it would come before those that close what still writes there.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
