import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { post } from './messages-gateway.ts';

const folder = join(import.meta.dirname, '../texts');
const { counts } = JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8')) as {
  readonly counts: Readonly<Record<string, number>>;
};

let gateway: TestGateway;
let close: () => Promise<void>;
before(async () => {
  const upstream = await startFakeUpstream();
  close = () => upstream.close();
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])],
  });
});
after(async () => {
  await gateway.stop();
  await close();
});

async function count(more: object): Promise<number> {
  const body = { model: 'acme/atlas-4', max_tokens: 100, ...more };
  const response = await post(gateway, body, { path: '/messages/count_tokens' });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('x-service-token-count'), 'estimate');
  return ((await response.json()) as { readonly input_tokens: number }).input_tokens;
}

for (const [name, real] of Object.entries(counts)) {
  test(`an estimate of ${name} is no undercount, in a message or around tools`, async () => {
    const text = readFileSync(join(folder, name), 'utf8');
    const plain = await count({ messages: [{ role: 'user', content: text }] });
    assert.ok(plain >= real, `${plain} for ${real} tokens`);
    const tools = [{ name: 'tide', description: text, input_schema: { type: 'object' } }];
    const tooled = await count({ messages: [{ role: 'user', content: text }], tools });
    assert.ok(tooled >= 2 * real && tooled > plain, `${tooled} for ${2 * real} tokens and more`);
  });
}
