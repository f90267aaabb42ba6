import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCaller } from '../../../test/support/caller.ts';
import { modelOf, providerOf } from '../../../test/support/catalogue.ts';
import { parse } from '../../../test/support/request-parsing.ts';
import { plainRules } from '../../core/guardrail.ts';
import { zeroUsd } from '../../core/money.ts';
import { ContentScanner } from '../../guardrails/content-scanner.ts';
import { combineGuardrails } from '../../guardrails/guardrail-directory.ts';
import type { FitTarget, StageContext } from '../stage.ts';
import { createInputScan } from './input-scan.ts';

test('what tools added is redacted, also where what follows it needs no redaction', async () => {
  const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'email', action: 'redact' } as const] };
  const guardrails = combineGuardrails([{ id: 'g', name: 'g', scope: 'account', rules }]);
  const scanner = new ContentScanner({ run: () => assert.fail('short texts are scanned at once') });
  const stage = createInputScan({ guardrails: { of: () => guardrails }, scanner });
  const model = modelOf('acme/atlas-4', [providerOf({ slug: 'north' })]);
  const [endpoint] = model.endpoints;
  assert.ok(endpoint);
  const target: FitTarget = { model, endpoint };
  const asked = parse({ model: 'acme/atlas-4', input: 'Hello' });
  const run = stage.begin(asked, testCaller(zeroUsd));
  const output = (text: string) => ({ type: 'function_call_output', call_id: 'call-1', output: text });
  const call = { type: 'function_call', call_id: 'call-1', name: 'look', arguments: '{}' };
  const { canonical } = parse({
    model: 'acme/atlas-4',
    input: [call, output('Write to jane.doe@example.com.'), { role: 'user', content: 'And then?' }],
  });
  const fitted = JSON.stringify(await run?.fit?.(canonical, target, {} as StageContext));
  assert.ok(fitted.includes('[EMAIL]') && fitted.includes('And then?'), fitted);
  assert.ok(!fitted.includes('jane.doe'), fitted);
});
