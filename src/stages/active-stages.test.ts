import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../test/support/request-parsing.ts';
import { plainRules } from '../core/guardrail.ts';
import type { ContentScanner } from '../guardrails/content-scanner.ts';
import { type FileGuardrail, GuardrailDirectory } from '../guardrails/guardrail-directory.ts';
import { ActiveStages } from './active-stages.ts';
import { gatewayStages } from './gateway-stages.ts';
import { createInputScan } from './input-scan/input-scan.ts';
import { createModeration } from './moderation/moderation.ts';

test('a request that concerns no stage begins none, and nothing of it is scanned', () => {
  let scanned = 0;
  const scan: ContentScanner['scan'] = () => {
    scanned += 1;
    return { hits: [], redacted: [] };
  };
  const file: FileGuardrail[] = [];
  const stages = [
    ...gatewayStages({ run: () => assert.fail('nothing is isolated') }),
    createInputScan({
      guardrails: new GuardrailDirectory(() => file),
      scanner: { scan, checkPatterns: () => assert.fail('no pattern is checked') },
    }),
    createModeration({
      backend: () => undefined,
      catalogue: () => ({ models: new Map(), providers: new Map() }),
    }),
  ];
  const subject = () => ({ account: { id: 'a' }, key: { hash: 'k', workspaceId: null } });
  const request = parse({ input: 'Mail jane.doe@example.com' });
  assert.equal(ActiveStages.of(request, stages, subject()), undefined);
  const budget = { ...plainRules, allowedModels: ['acme/atlas-4'] };
  file.push({ name: 'models', rules: budget, apply: { all: true, workspaces: [], keys: [] } });
  assert.equal(
    ActiveStages.of(request, stages, subject()),
    undefined,
    'a guardrail without filters scans nothing',
  );
  assert.equal(scanned, 0);
});
