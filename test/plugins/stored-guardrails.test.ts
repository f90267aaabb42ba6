import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { callApi } from '../support/call-api.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';

const email = 'jane.doe@example.com';

describe('guardrails of the management interface', { concurrency: 1 }, () => {
  let world: GuardedGateway;
  before(async () => {
    world = await startGuarded({ managementKey: { creatorUserId: 'user_boss' } });
  });
  after(() => world.stop());

  test('are created, read, changed, listed and deleted', async () => {
    const { manage } = world;
    const made = await manage('POST', '/guardrails', {
      name: 'cards',
      description: 'No cards.',
      allowed_models: ['acme/atlas-4'],
      ignored_providers: ['south'],
      content_filter_builtins: [{ slug: 'credit-card', action: 'block', label: 'ignored' }],
      content_filters: [{ pattern: 'EMP-\\d+', action: 'redact', label: null }],
      limit_usd: 12.5,
      reset_interval: 'daily',
      enforce_zdr: true,
      enforce_zdr_openai: false,
    });
    assert.equal(made.status, 201, made.text);
    const { data } = made.body;
    assert.deepEqual(
      [data.limit_usd, data.reset_interval, data.include_byok_in_budgets, data.mode, data.workspace_id],
      [12.5, 'daily', false, 'enforce', world.gateway.account.defaultWorkspaceId],
    );
    assert.deepEqual(data.content_filter_builtins, [
      { slug: 'credit-card', action: 'block', label: 'Credit card number' },
    ]);
    assert.deepEqual(
      [data.enforce_zdr, data.enforce_zdr_anthropic, data.enforce_zdr_openai, data.enforce_zdr_other],
      [null, true, false, true],
    );
    assert.deepEqual((await manage('GET', `/guardrails/${data.id}`)).body.data, data);
    const changed = await manage('PATCH', `/guardrails/${data.id}`, {
      name: 'numbers',
      content_filters: null,
      limit_usd: null,
    });
    assert.deepEqual(
      [changed.body.data.name, changed.body.data.content_filters, changed.body.data.limit_usd],
      ['numbers', null, null],
    );
    assert.deepEqual(changed.body.data.content_filter_builtins, data.content_filter_builtins, 'absent keeps');
    const { body: page } = await manage('GET', '/guardrails?limit=1');
    assert.deepEqual([page.total_count, page.data[0].id], [1, data.id]);
    assert.deepEqual((await manage('DELETE', `/guardrails/${data.id}`)).body, { deleted: true });
    assert.equal((await manage('GET', `/guardrails/${data.id}`)).status, 404);
    assert.equal((await manage('DELETE', `/guardrails/${data.id}`)).status, 404);
    const { body: audit } = await manage('GET', '/audit');
    assert.deepEqual(
      audit.data
        .slice(0, 4)
        .map(({ action, outcome }: { action: string; outcome: string }) => [action, outcome]),
      [
        ['guardrail.delete', 'refused'],
        ['guardrail.delete', 'ok'],
        ['guardrail.update', 'ok'],
        ['guardrail.create', 'ok'],
      ],
    );
  });

  test('rules that make no sense are refused by their place', async () => {
    const { manage } = world;
    const refused: [body: object, message: RegExp][] = [
      [{ name: '' }, /name/],
      [{ name: 'a', allowed_models: [] }, /allowed_models/],
      [{ name: 'a', allowed_models: ['acme/none'] }, /allowed_models\[0\]/],
      [{ name: 'a', allowed_providers: ['nobody'] }, /allowed_providers\[0\]/],
      [{ name: 'a', limit_usd: -1 }, /limit_usd/],
      [{ name: 'a', reset_interval: 'yearly' }, /reset_interval/],
      [{ name: 'a', surprise: true }, /surprise/],
      [
        { name: 'a', content_filters: [{ pattern: '(a+)+', action: 'block' }] },
        /content_filters\[0\]\.pattern/,
      ],
      [
        { name: 'a', content_filters: [{ pattern: '(?=a)', action: 'block' }] },
        /content_filters\[0\]\.pattern/,
      ],
      [{ name: 'a', content_filter_builtins: [{ slug: 'person-name', action: 'block' }] }, /entity_analyzer/],
      [{ name: 'a', workspace_id: randomUUID() }, /workspace_id/],
    ];
    for (const [body, message] of refused) {
      const { status, body: answer } = await manage('POST', '/guardrails', body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(answer.error.message, message);
    }
    const pattern = { name: 'a', content_filters: [{ pattern: '(', action: 'block' }] };
    const { body } = await manage('POST', '/guardrails', pattern);
    assert.equal(body.error.metadata.reason, 'invalid_regex_pattern');
    const { gateway } = world;
    assert.equal((await callApi(gateway, gateway.key, 'GET', '/guardrails')).status, 403);
  });

  test("a workspace's default guardrail comes into being by its first change, and applies to all its keys", async () => {
    const { manage, ask } = world;
    const id = world.gateway.account.defaultWorkspaceId;
    const { body: workspace } = await manage('GET', `/workspaces/${id}`);
    const path = `/guardrails/${workspace.data.default_guardrail_id}`;
    assert.equal((await manage('GET', path)).status, 404);
    assert.equal((await manage('PATCH', path, { name: 'Mine' })).status, 400);
    const filters = [{ slug: 'email', action: 'block' }];
    const { body } = await manage('PATCH', path, { content_filter_builtins: filters });
    assert.equal(body.data.name, `Workspace ${id} Default`);
    assert.equal((await ask(email)).status, 403);
    assert.equal((await manage('PATCH', path, { name: 'Mine' })).status, 400);
    await manage('PATCH', path, { mode: 'observe' });
    assert.equal((await ask(email)).status, 200);
    await manage('DELETE', path);
    assert.equal((await manage('GET', path)).status, 404);
    assert.equal((await manage('GET', `/guardrails/${randomUUID()}`)).status, 404);
  });

  test('assignments to keys replace each other, are listed with the names of keys, and act at once', async () => {
    const { manage, ask, gateway, guard } = world;
    const strict = await guard({ content_filter_builtins: [{ slug: 'email', action: 'block' }] });
    const lax = await guard({ content_filter_builtins: [{ slug: 'email', action: 'flag' }] });
    assert.equal((await ask(email)).status, 200, 'filing applies nothing');
    const keys = { key_hashes: [gateway.keyHash, gateway.keyHash] };
    const assigned = await manage('POST', `/guardrails/${strict}/assignments/keys`, keys);
    assert.deepEqual(assigned.body, { assigned_count: 1 });
    const blocked = await ask(email);
    assert.equal(blocked.status, 403);
    const { pipeline } = blocked.body.service_metadata;
    assert.deepEqual([pipeline[0].guardrail_id, pipeline[0].guardrail_scope], [strict, 'api-key']);
    const { body: page } = await manage('GET', `/guardrails/${strict}/assignments/keys`);
    assert.deepEqual(
      [page.total_count, page.data[0].key_hash, page.data[0].key_name, page.data[0].guardrail_id],
      [1, gateway.keyHash, 'test', strict],
    );
    assert.equal(page.data[0].assigned_by, 'user_boss');
    await manage('POST', `/guardrails/${lax}/assignments/keys`, keys);
    assert.equal((await ask(email)).status, 200);
    assert.equal((await manage('GET', `/guardrails/${strict}/assignments/keys`)).body.total_count, 0);
    assert.equal((await manage('GET', '/guardrails/assignments/keys')).body.total_count, 1);
    const removed = await manage('POST', `/guardrails/${lax}/assignments/keys/remove`, keys);
    assert.deepEqual(removed.body, { unassigned_count: 1 });
    const wrong = { key_hashes: [hashKey('sk-hg-v1-unknown')] };
    assert.equal((await manage('POST', `/guardrails/${lax}/assignments/keys`, wrong)).status, 400);
    assert.equal((await manage('POST', `/guardrails/${randomUUID()}/assignments/keys`, keys)).status, 404);
    await manage('POST', `/guardrails/${strict}/assignments/keys`, keys);
    await manage('DELETE', `/guardrails/${strict}`);
    assert.equal((await ask(email)).status, 200, 'deleting removes assignments');
  });
});
