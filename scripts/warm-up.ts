/**
 * Loads once everything that a server loads, so that Node's compile cache (NODE_COMPILE_CACHE) contains it: the first
 * start then needs neither the type stripper nor the compiler. Runs after `npm ci`. A failure does no harm.
 */
import { tuneEngine } from '../src/process/prepare-process.ts';

tuneEngine();
try {
  await import('../src/cli/run-command-line.ts');
  await Promise.all([import('../src/process/serve.ts'), import('../src/process/run-server.ts')]);
  const { openStorage } = await import('../src/storage/open-storage.ts');
  const storage = await openStorage('sqlite::memory:');
  await storage.migrate();
  await storage.close();
} catch (error) {
  console.log(`warm-up skipped: ${error instanceof Error ? error.message : error}`);
}
