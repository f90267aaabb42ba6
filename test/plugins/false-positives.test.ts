import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainRules } from '../../src/core/guardrail.ts';
import { callApi } from '../support/call-api.ts';
import { startGuarded } from '../support/guarded-gateway.ts';
import { roomInWindow } from '../support/windows.ts';

test('reports of false positives are counted for the filter that pipeline entries name, and unblock nothing', async () => {
  await roomInWindow('day', 10_000);
  const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'ssn', action: 'block' } as const] };
  const file = { name: 'numbers', rules, apply: { all: true, workspaces: [], keys: [] } };
  const world = await startGuarded({ config: { guardrails: [file] } });
  try {
    const { gateway, manage, ask, guard } = world;
    const id = await guard(
      {
        content_filter_builtins: [{ slug: 'email', action: 'redact' }],
        content_filters: [
          { pattern: 'EMP-\\d+', action: 'redact', label: '[EMPLOYEE]' },
          { pattern: 'x\\d+', action: 'flag' },
        ],
      },
      { keys: [gateway.keyHash] },
    );
    const text = 'jane@acme.example is EMP-1 and x2';
    const { service_metadata: metadata } = (await ask(text)).body;
    const found: string[] = metadata.pipeline[0].data.matched_entity_types;
    assert.deepEqual([...found].sort(), ['CUSTOM', 'EMAIL', '[EMPLOYEE]']);
    const path = '/guardrails/false-positives';
    const report = (guardrail_id: string, filter: string) =>
      callApi(gateway, gateway.key, 'POST', path, { guardrail_id, filter });
    for (const filter of found) {
      const { status, body } = await report(id, filter);
      assert.deepEqual([status, body.data], [200, { guardrail_id: id, filter }]);
    }
    assert.equal((await report(id, 'email')).body.data.filter, 'EMAIL');
    assert.equal((await ask('123-45-6789')).status, 403);
    assert.equal((await report('numbers', 'SSN')).status, 200);
    assert.equal((await ask('123-45-6789')).status, 403, 'nothing is unblocked');
    assert.equal((await report(id, 'SSN')).status, 400, 'it has no such filter');
    assert.equal((await report('nobody', 'SSN')).status, 404);
    assert.equal(
      (await callApi(gateway, gateway.key, 'GET', path)).status,
      403,
      'keys of inference read none',
    );
    const { body } = await manage('GET', `${path}?days=1`);
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(body.total_count, 4);
    assert.deepEqual(body.data[0], {
      guardrail_id: id,
      filter: 'EMAIL',
      reports: 2,
      last_reported_on: today,
    });
    assert.ok(body.data.some(({ guardrail_id }: { guardrail_id: string }) => guardrail_id === 'numbers'));
    assert.equal((await manage('GET', `${path}?days=0`)).status, 400);
  } finally {
    await world.stop();
  }
});
