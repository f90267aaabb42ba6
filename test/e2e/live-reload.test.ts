import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, type LogLine, startGateway } from './support/gateway-process.ts';

const model = (id: string) => `  - { id: ${id}, endpoints: [{ provider: sandbox, model: echo }] }\n`;

test('a model added to the file is served without a restart; a broken file changes nothing', async () => {
  await using gateway = await startGateway({ config: `models:\n${model('acme/one')}` });
  const write = (text: string) => writeFileSync(join(gateway.directory, 'headgate.yaml'), text);
  assert.deepEqual(await ownModels(gateway), ['acme/one']);

  write(`models:\n${model('acme/one')}${model('acme/two')}`);
  await untilServed(gateway, ['acme/one', 'acme/two']);
  assert.equal((await gateway.post({ model: 'acme/two', input: 'x' })).status, 200);
  assert.deepEqual((await gateway.logged('configuration changed')).live, ['providers, catalog, models']);

  write(`models:\n${model('acme/one')}  - { id: acme/three, endpoint: [] }\n`);
  const refusal = await gateway.logged('the new configuration is broken; the old one stays');
  assert.match(String(refusal.reasons), /headgate\.yaml:3: models\[1\]\.endpoint: unknown key/);
  assert.deepEqual(await ownModels(gateway), ['acme/one', 'acme/two']);

  write(`models:\n${model('acme/three')}`);
  await untilServed(gateway, ['acme/three']);
  assert.equal((await gateway.post({ model: 'acme/two', input: 'x' })).status, 400);
});

test('editors that replace the file, and SIGHUP, are noticed too', async () => {
  await using gateway = await startGateway({ config: `models:\n${model('acme/one')}` });
  const file = join(gateway.directory, 'headgate.yaml');
  writeFileSync(`${file}.new`, `models:\n${model('acme/two')}`);
  renameSync(`${file}.new`, file);
  await untilServed(gateway, ['acme/two']);

  gateway.program.child.kill('SIGHUP');
  assert.equal((await gateway.post({ model: 'acme/two', input: 'x' })).status, 200, 'SIGHUP does not end it');
  writeFileSync(file, `models:\n${model('acme/four')}`);
  gateway.program.child.kill('SIGHUP');
  await untilServed(gateway, ['acme/four']);
});

test('what needs a restart is named and left as it was', async () => {
  await using gateway = await startGateway({ config: 'server: { body_limit: 1KiB }\n' });
  writeFileSync(join(gateway.directory, 'headgate.yaml'), 'server: { body_limit: 1MiB }\n');
  const line: LogLine = await gateway.logged('configuration changed');
  assert.deepEqual([line.live, line.needRestart], [[], ['server']]);
  const response = await gateway.post({ model: 'sandbox/echo', input: 'x'.repeat(2000) });
  assert.equal(response.status, 413);
});

test('a running stream ends as it began when its provider is taken away', async () => {
  const config = 'providers: { sandbox: { tokens_per_second: 40 } }\n';
  await using gateway = await startGateway({ config });
  const response = await gateway.post({
    model: 'sandbox/lorem',
    input: 'x',
    max_output_tokens: 60,
    stream: true,
  });
  writeFileSync(join(gateway.directory, 'headgate.yaml'), 'providers: { sandbox: { enabled: false } }\n');
  await gateway.logged('configuration changed');
  assert.match(await response.text(), /"type":"response\.completed".*\n\ndata: \[DONE\]\n\n$/);
  assert.equal((await gateway.post({ model: 'sandbox/lorem', input: 'x' })).status, 400);
});

async function ownModels(gateway: GatewayProcess): Promise<string[]> {
  const response = await fetch(`${gateway.baseUrl}/models`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id).filter((id) => id.startsWith('acme/'));
}

function untilServed(gateway: GatewayProcess, models: readonly string[]): Promise<true> {
  return eventually(
    `the catalogue holding ${models}`,
    async () => String(await ownModels(gateway)) === String(models),
  );
}
