import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Loads several test files into this process, each as a suite of its own, so that its hooks are for its own tests. The
 * files are in `TEST_FILES`, parted by line breaks.
 */
for (const file of (process.env.TEST_FILES ?? '').split('\n')) {
  describe(file, async () => {
    await import(pathToFileURL(resolve(file)).href);
  });
}
