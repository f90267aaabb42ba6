import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { noTelemetry } from '../support/gateway.ts';

// Not in step with it: other tests share this thread, and their servers would count its standstill as slow clients.
const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The modules of OpenTelemetry that a process has loaded once it has started with these rules. */
async function loadedWith(rules: object): Promise<number> {
  const script = `
    await import(${JSON.stringify(join(root, 'src/process/run-server.ts'))});
    const { startTelemetry } = await import(${JSON.stringify(join(root, 'src/telemetry/telemetry.ts'))});
    const log = { warn() {}, info() {} };
    const parts = { log, version: '1', metrics: { read: async () => ({}) }, onSpans() {}, now: Date.now };
    const telemetry = await startTelemetry(${JSON.stringify(rules)}, parts);
    const { createRequire } = await import('node:module');
    const files = Object.keys(createRequire(import.meta.url).cache);
    process.stdout.write(String(files.filter((file) => file.includes('@opentelemetry')).length));
    process.exit(0);
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  return Number(stdout);
}

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  assert.equal(await loadedWith(noTelemetry), 0);
  assert.equal(await loadedWith({ ...noTelemetry, endpoint: 'http://127.0.0.1:9', traces: false }), 0);
  assert.ok((await loadedWith({ ...noTelemetry, endpoint: 'http://127.0.0.1:9' })) > 10);
});
