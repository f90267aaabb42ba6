import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { plainSnapshot } from '../../test/support/routing-services.ts';
import { ScriptedUpstream, supportOf } from '../../test/support/scripted-upstream.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { parsePricePerMillion } from '../core/money.ts';
import { parseInferenceRequest } from '../dialects/responses/request/parse-inference-request.ts';

const north = providerOf({ slug: 'north', name: 'NorthGPU' });
const south = providerOf({ slug: 'south', name: 'SouthGPU', retainsPrompts: true, trainsOnPrompts: true });
const east = providerOf({ slug: 'east', name: 'East' });

const endpoint = (fields: Partial<Endpoint> & Pick<Endpoint, 'provider'>): Endpoint => ({
  upstreamModel: 'atlas',
  tag: fields.provider.slug,
  tier: 'default',
  price: { prompt: parsePricePerMillion(2), completion: parsePricePerMillion(8) },
  ...fields,
});
const cheap = { prompt: parsePricePerMillion(1), completion: parsePricePerMillion(4) };

const atlas: Model = {
  ...modelOf('acme/atlas-4', []),
  endpoints: [
    endpoint({ provider: north, quantization: 'fp8', maxCompletionTokens: 1000 }),
    endpoint({
      provider: south,
      price: cheap,
      supportedParameters: new Set(['temperature', 'max_completion_tokens']),
    }),
    endpoint({ provider: east, price: undefined }),
    endpoint({ provider: north, tag: 'north/priority', tier: 'priority' }),
  ],
};
const ibis: Model = { ...modelOf('globex/ibis', [south]), inputModalities: ['text'] };
const empty: Model = { ...modelOf('acme/empty', []) };
const catalogue = {
  models: new Map([atlas, ibis, empty].map((model) => [model.id, model])),
  providers: new Map(),
};

const upstreams = new Map([
  [
    'openai-chat',
    new ScriptedUpstream(
      {},
      {
        north: supportOf({
          'tool.custom': 'refused',
          'input.audio': 'refused',
          'text.verbosity': { dropped: 'no such setting' },
          prompt: 'refused',
        }),
        south: supportOf({
          'tool.custom': { emulated: 'as-function' },
          'input.audio': 'refused',
          prompt: 'refused',
        }),
        east: supportOf({
          'input.audio': 'refused',
          prompt: 'refused',
          'item.phase': { dropped: 'no label' },
        }),
      },
    ),
  ],
]);

function parse(body: Record<string, unknown>, headers: Record<string, string> = {}): InferenceRequest {
  const context = { headers, aliases: [], echoDefaults: false, hashEndUser: (raw: string) => raw };
  return parseInferenceRequest({ model: 'acme/atlas-4', input: 'Hi', ...body }, context).request;
}

const tags = (body: Record<string, unknown>, pricedOnly = false, headers?: Record<string, string>) =>
  planOrThrow(
    parse(body, headers),
    plainSnapshot(catalogue, { policy: { pricedOnly }, upstreams }),
  ).targets.map((target) => target.endpoint.tag);

function refusal(body: Record<string, unknown>, headers?: Record<string, string>): HeadgateError {
  try {
    planOrThrow(parse(body, headers), plainSnapshot(catalogue, { upstreams }));
  } catch (error) {
    assert.ok(error instanceof HeadgateError);
    return error;
  }
  return assert.fail('the plan was not refused');
}

test('endpoints come by price, those without one last, tiers only when opted in', () => {
  assert.deepEqual(tags({}), ['south', 'north', 'east']);
  assert.deepEqual(tags({ service_tier: 'priority' }), ['north/priority', 'south', 'north', 'east']);
  assert.deepEqual(tags({ model: 'ACME/Atlas-4', models: ['globex/ibis', 'acme/atlas-4'] }), [
    'south',
    'north',
    'east',
    'south',
  ]);
});

test('provider preferences choose and order', () => {
  const provider = (preferences: object) => tags({ provider: preferences });
  assert.deepEqual(provider({ order: ['south', 'NORTHGPU'] }), ['south', 'north', 'east']);
  assert.deepEqual(provider({ only: ['east', 'north'] }), ['north', 'east']);
  assert.deepEqual(provider({ only: ['north/priority'] }), ['north/priority']);
  assert.deepEqual(provider({ ignore: ['north'] }), ['south', 'east']);
  assert.deepEqual(provider({ order: ['south'], allow_fallbacks: false }), ['south']);
  assert.deepEqual(provider({ allow_fallbacks: false }), ['south']);
  assert.deepEqual(provider({ sort: 'price' }), ['south', 'north', 'east']);
});

test('hard filters exclude', () => {
  const provider = (preferences: object) => tags({ provider: preferences });
  assert.deepEqual(provider({ zdr: true }), ['north', 'east']);
  assert.deepEqual(provider({ data_collection: 'deny' }), ['north', 'east']);
  assert.deepEqual(provider({ quantizations: ['fp8'] }), ['north']);
  assert.deepEqual(provider({ quantizations: ['unknown'] }), ['south', 'east']);
  assert.deepEqual(
    provider({ max_price: { prompt: 1 } }),
    ['south', 'east'],
    'a missing price counts as zero',
  );
  assert.deepEqual(tags({ max_output_tokens: 1001 }), ['south', 'east']);
  assert.deepEqual(tags({}, true), ['south', 'north'], 'prepaid accounts never reach an unpriced endpoint');
});

test('require_parameters takes names that mean the same for each other', () => {
  const provider = { require_parameters: true };
  assert.deepEqual(tags({ provider, max_output_tokens: 10 }), ['south', 'north', 'east']);
  assert.deepEqual(tags({ provider, top_p: 0.5 }), ['north', 'east']);
});

test('endpoints that lack a feature give way to those that have it, and stay when none has', () => {
  const tools = [{ type: 'function', name: 'f' }];
  assert.deepEqual(tags({ tools }), ['north', 'east']);
  assert.deepEqual(tags({ tools, provider: { only: ['south'] } }), ['south']);
});

test('a plan without targets gives the reason', () => {
  const cases: [Record<string, unknown>, number, string, string[] | undefined][] = [
    [{ model: 'acme/atlas-5' }, 400, 'model_not_found', undefined],
    [{ model: 'acme/empty' }, 404, 'no_endpoints', undefined],
    [{ provider: { only: ['nobody'] } }, 503, 'constraint_filtered', ['allowed_providers']],
    [{ model: 'globex/ibis', provider: { zdr: true } }, 503, 'privacy_restricted', ['data_policy:zdr']],
    [
      {
        model: 'globex/ibis',
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
        ],
      },
      400,
      'constraint_filtered',
      ['modality'],
    ],
  ];
  for (const [body, status, code, excludedBy] of cases) {
    const error = refusal(body);
    assert.equal(error.status, status);
    assert.equal(error.metadata.availability?.code, code);
    assert.deepEqual(error.metadata.availability?.excluded_by, excludedBy);
    assert.equal(error.headers['x-should-retry'], status === 503 ? 'false' : undefined);
  }
  assert.match(refusal({ model: 'acme/atlas-4:free' }).message, /Did you mean acme\/atlas-4\?/);
});

test('what a dialect has no word for counts as lacking, whatever the endpoint declares', () => {
  const verbose = { text: { verbosity: 'low' } };
  assert.deepEqual(tags(verbose), ['east'], 'north leaves it out and south does not declare it');
  assert.deepEqual(tags({ ...verbose, provider: { only: ['north', 'south'] } }), ['south', 'north']);
});

const custom = { tools: [{ type: 'custom', name: 'run' }] };
const sound = [
  { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
];
const strict = { strict: 'true' };

test('endpoints that refuse what the request uses are passed over', () => {
  assert.deepEqual(tags({ ...custom, provider: { only: ['north', 'south'] } }), ['south']);
  const required = { text: { verbosity: 'low' }, provider: { require_parameters: true } };
  assert.deepEqual(tags(required), ['east'], 'south does not declare it and north leaves it out');
});

test('when all refuse, the feature and its place are named', () => {
  const error = refusal({ ...custom, provider: { only: ['north'] } });
  assert.equal(error.status, 503, 'south would have it: only the preference stands in the way');
  assert.deepEqual(error.metadata.availability?.constraint, {
    field: 'tools[0]',
    detail: 'the need for "Custom tools"',
  });
  assert.deepEqual(error.metadata.availability?.excluded_by, ['allowed_providers', 'require_parameters']);
  assert.equal(error.headers['x-should-retry'], 'false');
});

test('what no endpoint can be asked is the fault of the request', () => {
  const error = refusal({ prompt: { id: 'pmpt_1' } });
  assert.equal(error.status, 400);
  assert.match(error.message, /^prompt: /);
});

test('media that no endpoint accepts count as a modality', () => {
  const model = { ...atlas, id: 'acme/ears', inputModalities: ['text', 'audio'] as const };
  catalogue.models.set(model.id, model);
  const error = refusal({ model: 'acme/ears', input: sound });
  assert.deepEqual(error.metadata.availability?.excluded_by, ['modality']);
  assert.equal(error.metadata.availability?.constraint?.field, 'input[0].content[0]');
});

test('a strict request is never altered: 422 when every endpoint would', () => {
  assert.deepEqual(tags({ verbosity: 'low' }, false, strict), ['south', 'north', 'east']);
  assert.deepEqual(tags({ text: { verbosity: 'low' } }, false, strict), ['east']);
  const phased = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Yes', phase: 'commentary' },
    { role: 'user', content: 'Go on' },
  ];
  const error = refusal({ ...custom, input: phased }, strict);
  assert.equal(error.status, 422);
  assert.match(
    error.message,
    /^tools: no endpoint .*SouthGPU: tools would be dropped .*East: input\[1\]\.phase would be dropped/,
  );
});

test('a model that always reasons cannot be asked to stop', () => {
  const model = { ...atlas, id: 'acme/thinker', reasoning: { mandatory: true } };
  catalogue.models.set(model.id, model);
  const error = refusal({ model: 'acme/thinker', reasoning: { effort: 'none' } });
  assert.equal(error.status, 400);
  assert.match(error.message, /^reasoning\.effort: this model always reasons/);
  // Who asks for whichever model is the latest cannot know.
  const aliases = new Map([['~acme/think-latest', { kind: 'latest', target: model.id } as const]]);
  const request = parse({ model: '~acme/think-latest', reasoning: { effort: 'none' } });
  const snapshot = plainSnapshot({ ...catalogue, aliases }, { upstreams });
  assert.ok(planOrThrow(request, snapshot).targets.length > 0);
});
