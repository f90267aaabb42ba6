import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import type { ChatQuirks } from '../../core/chat-quirks.ts';
import { type Feature, features, type Support } from '../../core/features.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

function support(quirks: ChatQuirks, model?: string) {
  return adapter.support(createCall({ provider: { quirks: { ...quirks } } }).endpoint.provider, model);
}

/** A support in one word. */
function kindOf(stated: Support): string {
  if (typeof stated === 'string') return stated;
  if ('emulated' in stated) return stated.emulated;
  return 'adapted' in stated ? 'adapted' : 'dropped';
}

test('every feature is stated, for a provider without quirks too', () => {
  const table = support({});
  for (const feature of Object.keys(features)) assert.ok(feature in table, feature);
});

const cases: readonly (readonly [ChatQuirks, Feature, string, string])[] = [
  // A quirk, a feature, what it is without the quirk, what it is with it.
  [{ input: ['file_url'] }, 'input.file.url', 'refused', 'native'],
  [{ input: ['file_url'] }, 'input.image.data', 'native', 'refused'],
  [{ customTools: true }, 'tool.custom', 'as-function', 'native'],
  [{ customTools: true }, 'tool.custom.grammar', 'described', 'native'],
  [{ omit: ['tools'] }, 'tool.custom', 'as-function', 'refused'],
  [{ omit: ['tools'] }, 'item.hosted', 'as-call-pair', 'as-message'],
  [{ strictTools: false }, 'tool.function.strict', 'native', 'dropped'],
  [{ toolChoices: ['allowed_tools'] }, 'tool_choice.allowed', 'filtered', 'native'],
  [{ toolChoices: [] }, 'tool_choice.none', 'native', 'adapted'],
  [{ toolChoices: [] }, 'tool_choice.required', 'native', 'refused'],
  [{ toolChoices: [] }, 'tool_choice.named', 'native', 'refused'],
  [{ toolChoices: ['required'] }, 'tool_choice.named', 'native', 'adapted'],
  [{ omit: ['tool_choice'] }, 'tool_choice.required', 'native', 'refused'],
  [{ omit: ['parallel_tool_calls'] }, 'parallel_tool_calls', 'native', 'filtered'],
  [{ structuredOutput: 'json_object' }, 'text.json_schema', 'native', 'instructed'],
  [
    { structuredOutput: 'json_object', schemaFallback: 'forced-tool' },
    'text.json_schema',
    'native',
    'forced-tool',
  ],
  [{ structuredOutput: 'json_schema_only' }, 'text.json_object', 'native', 'instructed'],
  [{ structuredOutput: 'json_object_schema' }, 'text.json_schema', 'native', 'native'],
  [{ omit: ['response_format'] }, 'text.json_object', 'native', 'instructed'],
  [{ reasoningControls: [] }, 'reasoning.effort', 'native', 'dropped'],
  [{ reasoningControls: ['thinking_budget'] }, 'reasoning.max_tokens', 'adapted', 'native'],
  [{ reasoningControls: ['thinking_budget'] }, 'reasoning.effort', 'native', 'adapted'],
  [{ reasoningControls: ['thinking'] }, 'reasoning.effort', 'native', 'adapted'],
  [
    { reasoningReplay: 'reasoning_details', sealedFormats: ['unknown'] },
    'item.reasoning.sealed',
    'dropped',
    'native',
  ],
  [{ cacheControl: true }, 'cache_control', 'dropped', 'adapted'],
  [{ imageOutput: true }, 'modalities.image', 'refused', 'native'],
  [{ webSearch: 'always' }, 'tool.web_search', 'refused', 'adapted'],
  [{ serviceTiers: { auto: 'auto' } }, 'service_tier', 'native', 'adapted'],
  [{ omit: ['seed'] }, 'sampling.seed', 'native', 'dropped'],
  [{ mostStops: 4 }, 'sampling.stop', 'native', 'adapted'],
  [{ mostStops: 4, omit: ['stop'] }, 'sampling.stop', 'native', 'dropped'],
  [{ seedField: 'random_seed', omit: ['seed'] }, 'sampling.seed', 'native', 'native'],
  [{ byModel: { 'atlas-*': { omit: ['stop'] } } }, 'sampling.stop', 'native', 'dropped'],
];

for (const [quirks, feature, without, with_] of cases) {
  test(`${feature} with ${JSON.stringify(quirks)}`, () => {
    assert.equal(kindOf(support({})[feature]), without);
    assert.equal(kindOf(support(quirks, 'atlas-4')[feature]), with_);
  });
}
