import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { eventually } from '../support/eventually.ts';
import { readBooks } from './support/books.ts';
import { startCountingUpstream } from './support/counting-upstream.ts';
import { testOnSqlite } from './support/engines.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { runHeadgate, runProgram } from './support/programs.ts';

const request = { model: 'paid/words', input: 'x', max_output_tokens: 60 };

/** Lets the server's files take no more bytes, as a full disk does, or as many as they like. */
async function limitFiles(gateway: GatewayProcess, bytes: '0' | 'unlimited'): Promise<void> {
  const limit = `--fsize=${bytes}:unlimited`;
  const done = await runProgram('prlimit', ['--pid', String(gateway.program.child.pid), limit]);
  assert.equal(done.code, 0, done.stderr);
}

/** What came of a request: the status of its answer, or the error's HTTP status. */
async function ask(gateway: GatewayProcess): Promise<string | number> {
  const answer = await gateway.post(request);
  const body = (await answer.json()) as { readonly status?: string };
  return body.status ?? answer.status;
}

testOnSqlite(
  'while files cannot be written paid work is refused before the provider is asked, then it goes on by itself',
  async () => {
    const directory = newDirectory();
    await using upstream = await startCountingUpstream();
    const endpoint = `{ provider: counting, model: words, context_length: 32768, price: { input: 1, output: 2 } }`;
    const config = `
providers:
  counting: { adapter: openai-chat, base_url: "${upstream.baseUrl}", api_key: any }
models:
  - { id: paid/words, endpoints: [${endpoint}] }
`;
    try {
      await using gateway = await startGateway({ directory, config });
      for (let count = 0; count < 3; count += 1) assert.equal(await ask(gateway), 'completed');
      await limitFiles(gateway, '0');
      // What the first of them cost cannot be promised; from then on nobody gets that far.
      const statuses = [await ask(gateway), await ask(gateway), await ask(gateway)];
      assert.deepEqual(statuses, [503, 503, 503]);
      const asked = upstream.calls.size;
      assert.equal(asked, 4);
      assert.equal(await ask(gateway), 503);
      assert.equal(upstream.calls.size, asked);
      assert.equal((await fetch(`${gateway.url}/health/ready`)).status, 503);
      await limitFiles(gateway, 'unlimited');
      await eventually('recovery', async () => (await ask(gateway)) === 'completed');
      await eventually('readiness', async () => (await fetch(`${gateway.url}/health/ready`)).ok);
      await gateway.end();
      const verdict = await runHeadgate(directory, ['ledger', 'verify']);
      assert.equal(verdict.code, 0, verdict.stdout + verdict.stderr);
      // Three before and one after: the answer nobody got is not charged.
      assert.equal((await readBooks(gateway.directory)).filter(({ cost }) => cost > 0).length, 4);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);
