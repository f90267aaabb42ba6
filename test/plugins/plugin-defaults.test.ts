import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PluginDefaults } from '../../src/core/plugin-defaults.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

const broken = '{"a": 1,}';
const healing = (enforced: boolean, config = {}): PluginDefaults => ({
  'response-healing': { config, enforced },
});

describe('plugins on by default', { concurrency: 1 }, () => {
  let upstream: FakeUpstream;
  before(async () => {
    upstream = await startFakeUpstream({ steps: chatStream(broken) });
  });
  after(() => upstream.close());

  async function start(defaults: PluginDefaults = {}) {
    const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
    const models = [modelOf('acme/atlas-4', [provider])];
    const plugins = { ...configOf({ models }).plugins, defaults };
    const gateway = await startGateway({ models, config: { plugins } });
    const management = await gateway.createKey({ kind: 'management', workspaceId: null });
    return { gateway, management };
  }

  /** What a request for JSON gets, by the plugins that it names. */
  async function ask(gateway: TestGateway, plugins?: object[], path = 'responses') {
    const format = { type: 'json_object' };
    const bodies: Record<string, object> = {
      responses: { input: 'JSON, please', text: { format } },
      'chat/completions': { messages: [{ role: 'user', content: 'JSON' }], response_format: format },
    };
    const { body, headers } = await callApi(gateway, gateway.key, 'POST', `/${path}`, {
      model: 'acme/atlas-4',
      plugins,
      ...bodies[path],
    });
    const said = path === 'responses' ? body.output[0].content[0].text : body.choices[0].message.content;
    return { said: said as string, id: headers.get('x-generation-id') ?? '' };
  }
  const off = [{ id: 'response-healing', enabled: false }];

  test('of the installation: the request may replace it, unless it is enforced', async () => {
    const { gateway } = await start(healing(false));
    for (const path of ['responses', 'chat/completions']) {
      assert.equal((await ask(gateway, undefined, path)).said, '{"a": 1}', path);
      assert.equal((await ask(gateway, off, path)).said, broken, path);
    }
    await gateway.stop();
    const { gateway: strict } = await start(healing(true));
    assert.equal((await ask(strict, off)).said, '{"a": 1}');
    await strict.stop();
    const { gateway: never } = await start(healing(true, { enabled: false }));
    assert.equal((await ask(never, [{ id: 'response-healing' }])).said, broken);
    await never.stop();
  });

  test('of a workspace and an account: the narrower one wins, and both act at once', async () => {
    const { gateway, management } = await start(healing(false));
    const workspace = `/workspaces/${gateway.account.defaultWorkspaceId}`;
    const patch = (plugin_defaults: unknown) =>
      callApi(gateway, management, 'PATCH', workspace, { plugin_defaults });
    assert.equal((await ask(gateway)).said, '{"a": 1}');
    const patched = await patch({ 'response-healing': { config: { enabled: false } } });
    assert.deepEqual(patched.body.data.plugin_defaults, {
      'response-healing': { config: { enabled: false }, enforced: false },
    });
    assert.equal((await ask(gateway)).said, broken);
    assert.equal((await ask(gateway, [{ id: 'response-healing' }])).said, '{"a": 1}');
    await gateway.storage.accounts.update(gateway.account.id, { pluginDefaults: healing(true) });
    await patch({ 'response-healing': { config: { enabled: false } } });
    assert.equal((await ask(gateway, off)).said, '{"a": 1}', 'the account enforces it');
    assert.equal((await patch({})).body.data.plugin_defaults, undefined);
    await gateway.stop();
  });

  test('a default that no request could name is refused', async () => {
    const { gateway, management } = await start();
    const workspace = `/workspaces/${gateway.account.defaultWorkspaceId}`;
    for (const [plugin_defaults, message] of [
      [{ healing: {} }, /healing/],
      [{ 'response-healing': { config: { strict: true } } }, /strict/],
      [{ 'response-healing': { enforced: 'yes' } }, /enforced/],
    ] as const) {
      const { status, body } = await callApi(gateway, management, 'PATCH', workspace, { plugin_defaults });
      assert.equal(status, 400);
      assert.match(body.error.message, message);
    }
    await gateway.stop();
  });

  test('what a stage did is kept with the record and counted, though no header asks for it', async () => {
    const { gateway } = await start(healing(false));
    const { id } = await ask(gateway);
    const { body } = await callApi(gateway, gateway.key, 'GET', `/generation?id=${id}`);
    assert.deepEqual(body.data.pipeline, [
      {
        type: 'response_healing',
        name: 'response-healing',
        data: { mode: 'json_object', improved: true, original_length: 9, healed_length: 8 },
      },
    ]);
    const untouched = await ask(gateway, off);
    const { body: plain } = await callApi(gateway, gateway.key, 'GET', `/generation?id=${untouched.id}`);
    assert.equal(plain.data.pipeline, undefined);
    const metrics = await (await gateway.get('/metrics')).text();
    const line =
      'headgate_pipeline_entries_total{type="response_healing",name="response-healing",action="done"} 1';
    assert.ok(metrics.includes(line), metrics);
    await gateway.stop();
  });
});
