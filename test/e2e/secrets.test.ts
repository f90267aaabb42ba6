import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { enginesOf } from './support/engines.ts';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { runHeadgate } from './support/programs.ts';

const providerKey = 'sk-test-very-secret-0123456789abcdef';
const headerSecret = 'team-token-very-secret-0123456789';
const prompt = 'PROMPT-NOBODY-ELSE-MAY-READ';
const completion = 'COMPLETION-NOBODY-ELSE-MAY-READ';
const adapters = ['openai-chat', 'anthropic-messages', 'openai-responses'];
const statuses = [400, 401, 403, 404, 413, 422, 429, 500, 503];

let upstream: FakeUpstream;
let gateway: GatewayProcess;
/** Everything a client was shown. */
const shown: string[] = [];

before(async () => {
  upstream = await startFakeUpstream();
  const rows = adapters.map((adapter) => ({
    provider: `  via-${adapter}: { adapter: ${adapter}, base_url: ${upstream.url}/v1, api_key: "\${PROVIDER_KEY}", headers: { x-team: "\${TEAM_TOKEN}" } }`,
    model: `  - { id: acme/${adapter}, endpoints: [{ provider: via-${adapter}, model: atlas }] }`,
  }));
  const list = (name: 'provider' | 'model') => rows.map((row) => row[name]).join('\n');
  gateway = await startGateway({
    config: `log_level: trace\nproviders:\n${list('provider')}\nmodels:\n${list('model')}\n`,
    env: { PROVIDER_KEY: providerKey, TEAM_TOKEN: headerSecret },
  });
});
after(async () => {
  // First, as it is there even where the gateway did not start.
  await upstream.close();
  await gateway[Symbol.asyncDispose]();
});

for (const adapter of adapters) {
  test(`no refusal through ${adapter} shows the credential the provider repeats in it`, async () => {
    for (const script of refusals()) {
      for (const stream of [false, true]) await ask(adapter, script, { stream });
    }
    assert.ok(upstream.requests.length > 0);
    const sent = JSON.stringify(upstream.requests.at(-1)?.headers);
    assert.ok(sent.includes(providerKey) && sent.includes(headerSecret), 'the provider did get them');
  });
}

test('neither does a failure in the middle of a stream, nor the debug event', async () => {
  const failure = {
    message: `${prompt} ${completion} ${providerKey} ${headerSecret}`,
    code: providerKey,
    type: headerSecret,
  };
  const middle = chatStream(completion).slice(0, 2);
  await ask('openai-chat', { steps: [...middle, dataEvent({ error: failure })] }, { stream: true });
  await ask('openai-chat', { steps: middle, ending: 'cut' }, { stream: true });
  await ask(
    'openai-chat',
    { steps: chatStream('fine') },
    { stream: true, debug: { echo_upstream_body: true } },
  );
  assert.match(
    shown.at(-1) ?? '',
    /response\.debug[\s\S]*PROMPT-NOBODY/,
    'the sender may see its own prompt',
  );
});

test('a request that may be asked again is answered again, and what is kept for that tells no secret', async () => {
  for (const replayed of [null, 'true']) {
    upstream.play({ steps: chatStream('fine') });
    const body = { model: 'acme/openai-chat', input: prompt, stream: true };
    const response = await gateway.post(body, { headers: { 'idempotency-key': 'once' } });
    assert.equal(response.headers.get('idempotent-replayed'), replayed);
    shown.push(await response.text());
  }
});

test('nothing secret stands in what clients saw, in the logs, in the data directory, in what engines keep elsewhere, or in what commands show', async () => {
  assert.ok(shown.length > 50);
  const { key, managementKey, dataDirectory, directory } = gateway;
  const engines = await enginesOf(directory);
  const masterKey = readFileSync(join(dataDirectory, 'master.key'), 'utf8').trim();
  const own = [key, managementKey, masterKey, ...engines.secrets];
  assertFree('answers', shown.join('\n'), [providerKey, headerSecret, ...own]);
  for (const args of [['check'], ['check', '--json'], ['models', 'list'], ['keys', 'list', '--json']]) {
    const env = { PROVIDER_KEY: providerKey, TEAM_TOKEN: headerSecret };
    const { stdout, stderr } = await runHeadgate(directory, args, env);
    assertFree(args.join(' '), stdout + stderr, [providerKey, headerSecret, ...own]);
  }
  const kept = [...(await engines.stored())];
  const { stdout, stderr } = await gateway.end();
  kept.push(...(await engines.stored()));
  assert.ok(stdout.split('\n').length > 50);
  const everything = [providerKey, headerSecret, prompt, completion, ...own];
  assertFree('logs', stdout + stderr, everything);
  const files = readdirSync(dataDirectory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const { name, text } of kept) assertFree(name, text, everything);
  for (const { name, parentPath } of files) {
    const told = name === 'first-start.txt' ? [key, managementKey] : name === 'master.key' ? [masterKey] : [];
    const text = readFileSync(join(parentPath, name), 'latin1');
    assertFree(
      name,
      text,
      everything.filter((secret) => !told.includes(secret)),
    );
  }
});

/** Sends one request through a dialect and keeps what came back. */
async function ask(adapter: string, script: Script, more: object): Promise<void> {
  upstream.play(script);
  const response = await gateway.post({ model: `acme/${adapter}`, input: prompt, ...more });
  shown.push(JSON.stringify([...response.headers]) + (await response.text()));
}

/** Every way a provider may repeat what it was sent. */
function refusals(): Script[] {
  const words = `Incorrect API key provided: ${providerKey}, team ${headerSecret}, for: ${prompt}`;
  const bodies = [
    JSON.stringify({ type: 'error', error: { message: words, type: providerKey, code: headerSecret } }),
    JSON.stringify({ error: words, detail: [{ msg: words }] }),
    words,
  ];
  const headers = { 'content-type': 'application/json', 'x-echo': providerKey, 'retry-after': '1' };
  return statuses.flatMap((status) => bodies.map((body) => ({ status, headers, steps: [body] })));
}

function assertFree(place: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    assert.ok(!text.includes(secret), `${secret.slice(0, 12)}... stands in the ${place}`);
  }
}
