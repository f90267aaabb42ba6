import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { plainSnapshot } from '../../test/support/routing-services.ts';
import type { Catalogue, Model } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import type { RoutePolicy } from './route-plan.ts';

const north = providerOf({ slug: 'north', name: 'NorthGPU', refusedCountries: ['XX'] });
const south = providerOf({ slug: 'south', name: 'SouthGPU', trainsOnPrompts: true, retainsPrompts: true });
const usual: Model = { ...modelOf('acme/usual', [north, south], { contextLength: 1000 }) };
const models: readonly Model[] = [
  usual,
  modelOf('acme/empty', []),
  modelOf('acme/off', [north], { status: 'disabled' }),
  modelOf('acme/ended', [north], { status: 'deprecated' }),
  { ...modelOf('acme/old', [north]), retired: { successor: 'acme/usual' } },
  { ...modelOf('acme/usual:free', [north]), retired: {} },
  { ...modelOf('acme/speech', [north]), outputModalities: ['audio'] },
  { ...modelOf('acme/blind', [south]), inputModalities: ['text'] },
  modelOf('acme/terse', [north, south], { maxCompletionTokens: 500 }),
  modelOf('acme/unpriced', [north], { price: undefined }),
  { ...modelOf('acme/secret', [north]), accounts: new Set(['user_1']) },
  { ...modelOf('acme/hidden', [north]), hidden: true },
];
const catalogue: Catalogue = {
  models: new Map(models.map((model) => [model.id, model])),
  providers: new Map(),
  aliases: new Map([['~acme/none-latest', { kind: 'latest' }]]),
};

function refusal(body: object, policy: Partial<RoutePolicy> = {}, tokens = 10): HeadgateError {
  const prompt = { tokens, atMost: 3 * tokens };
  const snapshot = plainSnapshot(catalogue, { policy: { pricedOnly: false, ...policy }, prompt });
  try {
    planOrThrow(parse({ model: 'acme/usual', truncation: 'disabled', ...body }), snapshot);
  } catch (error) {
    assert.ok(error instanceof HeadgateError);
    return error;
  }
  return assert.fail('the plan was not refused');
}

test('every reason why a model cannot serve has its status and code', () => {
  const cases: readonly (readonly [body: object, status: number, code: string, hint?: string])[] = [
    [{ model: 'acme/nobody' }, 400, 'model_not_found'],
    [{ model: 'acme/secret' }, 400, 'model_not_found'],
    [{ model: 'acme/speech' }, 400, 'wrong_endpoint'],
    [{ model: 'acme/empty' }, 404, 'no_endpoints'],
    [{ model: 'acme/off' }, 404, 'no_endpoints'],
    [{ model: '~acme/none-latest' }, 404, 'no_endpoints'],
    [{ model: 'acme/ended' }, 404, 'model_deprecated'],
    [{ model: 'acme/old' }, 404, 'model_deprecated', 'acme/usual'],
    [{ model: 'acme/usual:free' }, 404, 'free_variant_ended', 'acme/usual'],
  ];
  for (const [body, status, code, hint] of cases) {
    const error = refusal(body);
    assert.deepEqual([error.status, error.metadata.availability?.code], [status, code], JSON.stringify(body));
    assert.deepEqual(error.metadata.availability?.fallback_models, hint && [hint]);
    assert.equal(error.metadata.availability?.retryable, false);
  }
});

test('private and hidden models are never suggested', () => {
  assert.deepEqual(refusal({ model: 'globex/secret' }).metadata.availability?.fallback_models, undefined);
  assert.deepEqual(refusal({ model: 'globex/hidden' }).metadata.availability?.fallback_models, undefined);
  const known = refusal({ model: 'globex/secret' }, { accountId: 'user_1' });
  assert.deepEqual(known.metadata.availability?.fallback_models, ['acme/secret']);
});

test('a prepaid account gets the missing price as the reason, not a limit it never set', () => {
  const { message, metadata } = refusal({ model: 'acme/unpriced' }, { pricedOnly: true });
  assert.equal(metadata.availability?.constraint?.field, 'model');
  assert.deepEqual(metadata.availability?.excluded_by, ['max_price']);
  assert.match(
    message,
    /need for a stated price where credits are paid in advance or the key has a limit leaves none/,
  );
});

test('every rule that leaves nothing names itself, its field and its values', () => {
  const cases: readonly (readonly [
    object,
    Partial<RoutePolicy>,
    code: string,
    by: string,
    field: string,
    RegExp,
  ])[] = [
    [
      { only: ['west'] },
      {},
      'constraint_filtered',
      'allowed_providers',
      'provider.only',
      /allowed providers \(west\)/,
    ],
    [
      { ignore: ['north', 'south'] },
      {},
      'constraint_filtered',
      'allowed_providers',
      'provider.ignore',
      /north, south/,
    ],
    [
      {},
      { ignoredProviders: ['north', 'south'] },
      'constraint_filtered',
      'allowed_providers',
      'provider',
      /account/,
    ],
    // A list that allows the last endpoint is not what stands in the way.
    [
      { only: ['north'], ignore: ['NorthGPU'] },
      {},
      'constraint_filtered',
      'allowed_providers',
      'provider.ignore',
      /ignored providers \(NorthGPU\)/,
    ],
    [
      { only: ['north'], ignore: ['south'] },
      { ignoredProviders: ['north'] },
      'constraint_filtered',
      'allowed_providers',
      'provider',
      /account/,
    ],
    [
      { ignore: ['south'] },
      { allowedProviders: [['south']] },
      'constraint_filtered',
      'allowed_providers',
      'provider.ignore',
      /ignored providers \(south\)/,
    ],
    [{ only: ['north'] }, { country: 'XX' }, 'region_restricted', 'geo', 'provider', /country/],
    [{}, { dataRegions: ['europe'] }, 'constraint_filtered', 'data_region', 'provider', /region/],
    [
      { only: ['south'], data_collection: 'deny' },
      {},
      'privacy_restricted',
      'data_policy:training',
      'provider.data_collection',
      /training/,
    ],
    [
      { only: ['south'], zdr: true },
      {},
      'privacy_restricted',
      'data_policy:zdr',
      'provider.zdr',
      /retention/,
    ],
    [
      { only: ['south'] },
      { zeroRetention: () => true },
      'privacy_restricted',
      'data_policy:zdr',
      'provider',
      /zero/,
    ],
    [
      { enforce_distillable_text: true },
      {},
      'constraint_filtered',
      'distillable',
      'provider.enforce_distillable_text',
      /distillable/,
    ],
    [
      { quantizations: ['fp4'] },
      {},
      'constraint_filtered',
      'quantization',
      'provider.quantizations',
      /\(fp4\)/,
    ],
    [
      { max_price: { prompt: 1 } },
      {},
      'constraint_filtered',
      'max_price',
      'provider.max_price',
      /\(prompt 1\)/,
    ],
  ];
  for (const [provider, policy, code, by, field, words] of cases) {
    const error = refusal({ provider }, policy);
    const { availability } = error.metadata;
    assert.equal(availability?.code, code, JSON.stringify([provider, policy]));
    assert.equal(availability?.excluded_by?.at(-1), by);
    assert.equal(availability?.constraint?.field, field);
    assert.match(error.message, words);
    assert.match(error.message, /^acme\/usual is served by .*GPU/);
    assert.equal(error.status, code === 'region_restricted' ? 403 : 503);
    assert.equal(error.headers['x-should-retry'], error.status === 503 ? 'false' : undefined);
  }
});

test('a prompt too long for every endpoint is a 400 that names needed and available tokens', () => {
  const alone = refusal({}, {}, 1340);
  assert.deepEqual([alone.status, alone.type], [400, 'context_length_exceeded']);
  assert.equal(alone.headers['x-should-retry'], undefined);
  assert.equal(alone.metadata.availability?.code, 'constraint_filtered');
  assert.equal(alone.metadata.availability?.constraint?.field, 'input');
  assert.match(
    alone.message,
    /needs about 1340 tokens; 1000 are available\. Send a shorter prompt or use the plugin/,
  );
  const both = refusal({ max_output_tokens: 500 }, {}, 700);
  assert.deepEqual(both.metadata.availability?.excluded_by, ['context_length']);
  assert.match(
    both.message,
    /wanted output \(500\).*needs about 1200 tokens \(700 of input, 500 of output\).*prompt, ask for less output or use the plugin/,
  );
});

test('a prompt that may fit goes to the provider, who judges', () => {
  const targets = (tokens: number) =>
    planOrThrow(
      parse({ model: 'acme/usual', truncation: 'disabled' }),
      plainSnapshot(catalogue, { prompt: { tokens, atMost: 3 * tokens } }),
    ).targets.length;
  assert.equal(targets(1001), 2);
  assert.equal(targets(1333), 2, 'three quarters of it fit');
  assert.throws(() => targets(1334));
});

test('preferences do not hide that the request itself cannot be served', () => {
  const error = refusal({ provider: { only: ['nobody'] } }, {}, 9000);
  assert.deepEqual([error.status, error.type], [400, 'context_length_exceeded']);
  const picture = [
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
  ];
  const blind = refusal({ model: 'acme/blind', input: picture, provider: { zdr: true } });
  assert.deepEqual([blind.status, blind.type], [400, 'invalid_request']);
  assert.deepEqual(blind.metadata.availability?.excluded_by, ['modality']);
  const mixed = refusal({ model: 'acme/blind', models: ['acme/usual'], input: picture }, {}, 9000);
  assert.deepEqual([mixed.status, mixed.type], [400, 'invalid_request']);
  assert.deepEqual(mixed.metadata.availability?.excluded_by, ['modality', 'context_length']);
  assert.deepEqual(
    mixed.metadata.availability?.constraint,
    blind.metadata.availability?.constraint,
    'a shorter prompt alone would not help',
  );
});

test('kinds of content that nobody declared restrict nothing, but give way to a model that declares them', () => {
  const picture = [
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
  ];
  const unknown: Model = {
    ...usual,
    id: 'acme/unknown',
    inputModalities: ['text'],
    undeclared: { input: true, output: true },
  };
  const seeing: Model = { ...usual, id: 'acme/seeing', inputModalities: ['text', 'image'] };
  const both = { models: new Map([unknown, seeing].map((model) => [model.id, model])), providers: new Map() };
  const names = (model: string, ...models: string[]) => {
    const { targets } = planOrThrow(parse({ model, models, input: picture }), plainSnapshot(both));
    return [...new Set(targets.map(({ model }) => model.id))];
  };
  assert.deepEqual(names('acme/unknown'), ['acme/unknown']);
  assert.deepEqual(names('acme/unknown', 'acme/seeing'), ['acme/seeing']);
});

test('the rule that took the last endpoint decides, and a model that is left empty is passed over', () => {
  const body = { provider: { data_collection: 'deny', max_price: { prompt: 1 } } };
  const error = refusal(body);
  assert.deepEqual(error.metadata.availability?.excluded_by, ['data_policy:training', 'max_price']);
  assert.equal(error.metadata.availability?.code, 'constraint_filtered');
  const request = parse({ model: 'acme/old', models: ['acme/usual', 'acme/empty'] });
  const { targets } = planOrThrow(request, plainSnapshot(catalogue));
  assert.deepEqual([...new Set(targets.map(({ model }) => model.id))], ['acme/usual']);
});

test('a conversation that may lose middle turns needs half of its length, else the longest endpoints', () => {
  const longer = { ...usual, id: 'acme/longer', endpoints: [...usual.endpoints] };
  longer.endpoints.push(
    ...modelOf('acme/longer', [providerOf({ slug: 'long' })], { contextLength: 1500 }).endpoints,
  );
  const names = (tokens: number, truncation: string) => {
    const prompt = { tokens, atMost: 3 * tokens };
    const snapshot = plainSnapshot(
      { models: new Map([[longer.id, longer]]), providers: new Map() },
      { prompt },
    );
    return planOrThrow(parse({ model: 'acme/longer', truncation }), snapshot).targets.map(
      ({ endpoint }) => endpoint.tag,
    );
  };
  assert.deepEqual(names(1200, 'disabled'), ['long']);
  assert.deepEqual(names(2000, 'auto'), ['long', 'north', 'south']);
  assert.deepEqual(names(2001, 'auto'), ['long']);
  assert.deepEqual(names(9000, 'auto'), ['long']);
});

test('a request for more output than any endpoint writes says how much can be written', () => {
  const error = refusal({ model: 'acme/terse', max_output_tokens: 501 });
  assert.equal(error.code, 'prompt_too_long');
  assert.match(error.message, /asks for 501 tokens of output; at most 500 can be written\. Ask for less\./);
  assert.match(refusal({ max_output_tokens: 10 }, {}, 2000).message, /2010 tokens .*1000 are available/);
});
