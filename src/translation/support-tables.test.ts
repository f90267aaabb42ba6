import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  builtInProviders,
  dialectColumns,
  renderTranslationTable,
  translationTableFile,
} from '../../scripts/translation-table.ts';
import { createCall } from '../../test/fake-upstream/upstream-call.ts';
import { canonicalRequests } from '../../test/generators/canonical-requests.ts';
import { supportOf } from '../../test/support/scripted-upstream.ts';
import { type Emulation, type Feature, type FeatureSupport, features } from '../core/features.ts';
import type { CanonicalChat } from '../core/request.ts';
import { effectiveSupport, reaches } from './effective-support.ts';
import { featuresUsed } from './features-used.ts';
import { refusedFeature } from './refusals.ts';
import { translate } from './translate.ts';

const tables = distinct([
  ...dialectColumns().map(({ title, support }) => ({ title, support })),
  ...builtInProviders().map(({ row, support }) => ({ title: row.slug, support })),
]);

test('docs/translation.md is what the adapters declare', () => {
  const kept = readFileSync(translationTableFile, 'utf8');
  assert.equal(kept, renderTranslationTable(), 'run "npm run docs" and commit docs/translation.md');
});

/** The rewritings the translation has, by what they are for. */
const possible: Partial<Record<Feature, readonly Emulation[]>> = {
  'item.additional_tools': ['merged'],
  'item.agent_message': ['as-message'],
  'item.configuration_update': ['merged'],
  'item.hosted': ['as-call-pair', 'as-message'],
  'item.service': ['as-call-pair', 'as-message'],
  'tool.namespace': ['flattened'],
  'tool.custom': ['as-function'],
  'tool.custom.grammar': ['described'],
  'tool.local_shell': ['as-function'],
  'tool.shell': ['as-function'],
  'tool.apply_patch': ['as-function'],
  'tool_choice.none': ['filtered'],
  'tool_choice.allowed': ['filtered'],
  parallel_tool_calls: ['filtered'],
  'text.json_object': ['instructed'],
  'text.json_schema': ['forced-tool', 'instructed'],
  'input.message.media': ['moved'],
  'truncation.auto': ['shortened'],
  'input.file.context': ['as-text'],
  'input.block': ['as-text'],
  'tool_output.error': ['as-text'],
};

test('adapters count on no emulation the translation does not have', () => {
  for (const { title, support } of tables) {
    for (const feature of Object.keys(features) as Feature[]) {
      const stated = support[feature];
      assert.ok(stated !== undefined, `${title} says nothing of ${feature}`);
      if (typeof stated === 'string' || !('emulated' in stated)) continue;
      assert.ok(
        possible[feature]?.includes(stated.emulated),
        `${title}: ${feature} cannot be ${stated.emulated}`,
      );
    }
  }
});

test('an adapter never sees what it declared emulated, left out or refused', () => {
  let seen = 0;
  for (const { title, support: stated } of tables) {
    // Most random requests use something refused, so the same is tried as if nothing were.
    for (const support of [stated, withoutRefusals(stated)]) {
      const served = fc.property(canonicalRequests, parameters, (request, supportedParameters) => {
        if (isServedWhole(title, request, support, supportedParameters)) seen += 1;
      });
      fc.assert(served, { numRuns: 80 });
    }
  }
  assert.ok(seen > tables.length * 50, `only ${seen} requests were served by anybody`);
});

/** False when the request is refused; throws when something is left of it that the dialect has no word for. */
function isServedWhole(
  title: string,
  request: CanonicalChat,
  support: FeatureSupport,
  supportedParameters: ReadonlySet<string> | undefined,
): boolean {
  const { model, endpoint } = createCall({ request, endpoint: { supportedParameters } });
  const destination = { model, endpoint, support };
  const used = featuresUsed(request);
  if (refusedFeature(request, used, destination) !== undefined) return false;
  const translation = translate(request, used, destination);
  const left = [...featuresUsed(translation.request).keys()].filter(
    (feature) => !reaches(effectiveSupport(feature, support, endpoint)),
  );
  assert.deepEqual(left, [], title);
  const silent = translation.request !== request && translation.alterations.length === 0;
  assert.ok(!silent || sameMeaning(request, translation.request), `${title} altered without saying so`);
  return true;
}

function withoutRefusals(support: FeatureSupport): FeatureSupport {
  const taken = Object.entries(support).map(([feature, stated]) => [
    feature,
    stated === 'refused' ? 'native' : stated,
  ]);
  return { ...support, ...Object.fromEntries(taken) };
}

const parameters = fc.option(
  fc
    .subarray([
      'tools',
      'tool_choice',
      'temperature',
      'structured_outputs',
      'response_format',
      'reasoning',
      'verbosity',
    ])
    .map((names) => new Set(names)),
  { nil: undefined },
);

/** Only `truncation` may change without a word: a conversation that fits is not shortened. */
function sameMeaning(request: CanonicalChat, sent: CanonicalChat): boolean {
  return JSON.stringify({ ...request, truncation: 0 }) === JSON.stringify({ ...sent, truncation: 0 });
}

test('where a dialect has words for everything the request passes untouched', () => {
  const support = supportOf();
  fc.assert(
    fc.property(canonicalRequests, (request) => {
      const tier = request.serviceTier === 'priority' ? 'priority' : 'default';
      const { model, endpoint } = createCall({ request, endpoint: { tier } });
      const translation = translate(request, featuresUsed(request), { model, endpoint, support });
      assert.equal(translation.request, request);
      assert.deepEqual(translation.alterations, []);
    }),
  );
});

function distinct<Table extends { readonly support: FeatureSupport }>(
  all: readonly Table[],
): readonly Table[] {
  return [...new Map(all.map((table) => [JSON.stringify(table.support), table])).values()];
}
