import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chatBody } from '../../../test/fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../../../test/support/catalogue.ts';
import { runIn } from '../../../test/support/command-line.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

async function begin(t: TestContext) {
  const folder = temporaryFolder();
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: 'http://127.0.0.1:1/v1' });
  const south = providerOf({
    slug: 'south',
    name: 'SouthGPU',
    baseUrl: 'http://127.0.0.1:1/v1',
    retainsPrompts: true,
  });
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [south, north])] });
  t.after(() => gateway.stop());
  const openStorage = () => Promise.reject(new Error('no database is needed'));
  const run = (env: Record<string, string>, ...argv: string[]) => runIn(folder, argv, { env, openStorage });
  return { folder, gateway, run, env: { HEADGATE_API_KEY: gateway.key, HEADGATE_URL: gateway.url } };
}

test('a route is explained in a table and as JSON', async (t) => {
  const { folder, run, env } = await begin(t);
  const body = { input: 'Hi', max_output_tokens: 100, provider: { zdr: true } };
  await writeFile(join(folder, 'body.json'), JSON.stringify(body));
  const explain = ['route', 'explain', '--model', 'acme/atlas-4', '--file', 'body.json'];
  const { code, out, err } = await run(env, ...explain);
  assert.deepEqual([code, err], [0, '']);
  const [heading, row, , exclusions, excluded] = out.split('\n');
  assert.match(heading ?? '', /^#\s+MODEL\s+PROVIDER\s+ENDPOINT\s+CREDENTIAL\s+INPUT \$\/M/);
  assert.match(row ?? '', /^1\s+acme\/atlas-4\s+NorthGPU\s+north\s+shared\s+3\s+15\s+0\.0015\d+\s+-\s+only$/);
  assert.match(exclusions ?? '', /^NOT TRIED/);
  assert.match(excluded ?? '', /^acme\/atlas-4\s+SouthGPU\s+south\s+data_policy:zdr$/);
  assert.match(out, /Verdict {2}would be sent\n$/);
  const json = await run(env, '--json', ...explain);
  const { plan, verdict } = JSON.parse(json.out) as { plan: { tag: string }[]; verdict: object };
  assert.deepEqual([plan.map(({ tag }) => tag), verdict], [['north'], { admitted: true, error: null }]);
});

test('a refusal is explained, what cannot be asked fails with one line', async (t) => {
  const { folder, run, env, gateway } = await begin(t);
  await writeFile(join(folder, 'nobody.json'), JSON.stringify({ provider: { only: ['nobody'] } }));
  await writeFile(join(folder, 'list.json'), '[]');
  await writeFile(join(folder, 'broken.json'), '{');
  const refused = await run(env, 'route', 'explain', '--model', 'acme/atlas-4', '--file', 'nobody.json');
  assert.equal(refused.code, 0);
  assert.match(refused.out, /^No endpoint would be tried\.\n/);
  assert.match(refused.out, /Verdict {2}refused with 503: /);
  const cases: [Record<string, string>, readonly string[], RegExp][] = [
    [env, [], /^error: no model is named; /],
    [env, ['--file', 'list.json'], /list\.json holds no object; /],
    [env, ['--file', 'broken.json'], /broken\.json holds no valid JSON; /],
    [env, ['--file', 'none.json'], /none\.json cannot be read; /],
    [env, ['--model', 'acme/nothing'], /^error: The model "acme\/nothing" does not exist\./],
    [{ ...env, HEADGATE_API_KEY: 'wrong' }, ['--model', 'acme/atlas-4'], /The API key is not accepted/],
    [{}, ['--model', 'acme/atlas-4', '--url', gateway.url], /no API key; give --key or set HEADGATE_API_KEY/],
    [
      env,
      ['--model', 'acme/atlas-4', '--url', 'http://127.0.0.1:1'],
      /no server answers at http:\/\/127\.0\.0\.1:1; /,
    ],
  ];
  for (const [environment, argv, message] of cases) {
    const { code, out, err } = await run(environment, 'route', 'explain', ...argv);
    assert.deepEqual([code, out], [1, ''], argv.join(' '));
    assert.match(err, message);
    assert.equal(err.split('\n').length, 2);
  }
});

test('the address may be the one that clients are given', async (t) => {
  const { run, env, gateway } = await begin(t);
  const explain = ['route', 'explain', '--model', 'acme/atlas-4', '--url', `${gateway.url}/api/v1/`];
  assert.deepEqual((await run(env, ...explain)).err, '');
});

test('a call that was made is explained by its id, to those who may see it', async (t) => {
  const upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
  t.after(() => gateway.stop());
  const made = await fetch(`${gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/atlas-4', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const { id } = (await made.json()) as { readonly id: string };
  const openStorage = () => Promise.reject(new Error('no database is needed'));
  const explain = (key: string, call: string) =>
    runIn(temporaryFolder(), ['--json', 'route', 'explain', '--generation', call], {
      env: { HEADGATE_API_KEY: key, HEADGATE_URL: gateway.url },
      openStorage,
    });
  const { code, out, err } = await explain(gateway.key, id);
  assert.deepEqual([code, err], [0, '']);
  const { plan } = JSON.parse(out) as { plan: { tag: string }[] };
  assert.deepEqual(
    plan.map(({ tag }) => tag),
    ['north'],
  );
  const before = upstream.requests.length;
  const other = await gateway.createKey({});
  for (const [key, call] of [
    [other, id],
    [gateway.key, 'gen-none'],
  ] as const) {
    const refused = await explain(key, call);
    assert.equal(refused.code, 1);
    assert.match(refused.err + refused.out, /no |not /i);
  }
  assert.equal(upstream.requests.length, before, 'nothing is sent again');
});
