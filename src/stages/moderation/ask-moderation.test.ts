import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSite } from '../../../test/server-tools/local-site.ts';
import { askModeration } from './moderation.ts';

test('an answer of four MiB is read, a longer one counts as a failure of the service', async () => {
  const verdict = JSON.stringify({ results: [{ flagged: false }] });
  let size = 4 * 1024 * 1024;
  await using site = await startSite((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(verdict.padEnd(size));
  });
  const backend = {
    baseUrl: site.url,
    model: 'judge',
    timeout: 60_000,
    images: false,
    onFailure: 'allow',
  } as const;
  const ask = () => askModeration(backend, { texts: ['Hello'], images: [] }, new AbortController().signal);
  assert.deepEqual(await ask(), { flagged: false, reasons: [], score: 0 });
  size += 1;
  await assert.rejects(ask(), /sent too much/);
});
