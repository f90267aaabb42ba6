import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Model } from '../../src/core/catalogue.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Good day.') });
  const address = { baseUrl: `${upstream.url}/v1`, retainsPrompts: true };
  const providers = [
    providerOf({ slug: 'north', name: 'NorthGPU', ...address }),
    providerOf({ slug: 'south', name: 'SouthGPU', ...address }),
  ];
  const picky = providers.map((one) => ({ ...one, slug: `${one.slug}-eu`, refusedCountries: ['DE'] }));
  const atlas = modelOf('acme/atlas', providers);
  const change = (id: string, fields: Partial<Model>): Model => ({
    ...atlas,
    id,
    canonicalSlug: id,
    ...fields,
  });
  gateway = await startGateway({
    models: [
      atlas,
      change('acme/vectors', { outputModalities: ['audio'] }),
      change('acme/nowhere', { endpoints: [] }),
      change('acme/old', { retired: { successor: 'acme/atlas' } }),
      change('acme/atlas:free', { retired: {} }),
      modelOf('acme/abroad', picky),
    ],
    config: { location: { country: 'DE' } },
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const fails = (status: number): Script => ({
  status,
  headers: { 'content-type': 'application/json' },
  steps: ['{}'],
});

interface Case {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly model?: string;
  readonly body?: object;
  /** What the providers answer, each in turn; without it nobody may be asked. */
  readonly scripts?: readonly Script[];
  readonly excludedBy?: readonly string[];
  readonly fallbacks?: readonly string[];
}

/** Every code of docs/spec/errors.md#availability. */
const cases: readonly Case[] = [
  { code: 'model_not_found', status: 400, retryable: false, model: 'acme/atlass' },
  { code: 'wrong_endpoint', status: 400, retryable: false, model: 'acme/vectors' },
  { code: 'no_endpoints', status: 404, retryable: false, model: 'acme/nowhere' },
  { code: 'model_deprecated', status: 404, retryable: false, model: 'acme/old', fallbacks: ['acme/atlas'] },
  {
    code: 'free_variant_ended',
    status: 404,
    retryable: false,
    model: 'acme/atlas:free',
    fallbacks: ['acme/atlas'],
  },
  {
    code: 'privacy_restricted',
    status: 503,
    retryable: false,
    body: { provider: { zdr: true } },
    excludedBy: ['data_policy:zdr'],
  },
  {
    code: 'constraint_filtered',
    status: 503,
    retryable: false,
    body: { provider: { max_price: { prompt: 1 } } },
    excludedBy: ['max_price'],
  },
  {
    code: 'region_restricted',
    status: 403,
    retryable: false,
    model: 'acme/abroad',
    excludedBy: ['geo'],
  },
  { code: 'model_unavailable_upstream', status: 404, retryable: false, scripts: [fails(404)] },
  { code: 'capacity_exhausted', status: 429, retryable: true, scripts: [fails(429)] },
  { code: 'temporarily_unavailable', status: 503, retryable: true, scripts: [fails(500), fails(504)] },
];

interface Problem {
  readonly error: {
    readonly code: number;
    readonly metadata: {
      readonly availability: {
        readonly code: string;
        readonly retryable: boolean;
        readonly requested_models: readonly string[];
        readonly docs_url: string;
        readonly excluded_by?: readonly string[];
        readonly fallback_models?: readonly string[];
        readonly constraint?: { readonly field: string; readonly detail: string };
      };
    };
  };
  readonly service_metadata: { readonly attempt: number; readonly requested: string };
}

for (const expected of cases) {
  for (const stream of [true, false]) {
    const { code, status, model = 'acme/atlas', body, scripts } = expected;
    test(`${code}: ${status}, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
      upstream.play(...(scripts ?? [fails(500)]), ...(scripts ?? []));
      const already = upstream.requests.length;
      const response = await gateway.post(
        { model, input: 'Hello', stream, ...body },
        { 'x-service-metadata': 'enabled' },
      );
      const problem = (await response.json()) as Problem;
      assert.equal(response.status, status, JSON.stringify(problem));
      checkContract('BadRequestResponse', problem);
      checkContract('ServiceMetadata', problem.service_metadata);
      const { availability } = problem.error.metadata;
      assert.deepEqual([availability.code, availability.retryable], [code, expected.retryable]);
      assert.deepEqual(availability.requested_models, [model]);
      assert.equal(availability.docs_url, '/docs#errors');
      const page = await (await fetch(gateway.url + availability.docs_url)).text();
      assert.ok(page.includes(`<tr id="availability-${code}">`), 'the page it leads to tells of the code');
      assert.deepEqual(availability.excluded_by, expected.excludedBy);
      if (expected.fallbacks !== undefined) {
        assert.deepEqual(availability.fallback_models, expected.fallbacks);
      }
      const dontRetry = status === 503 && !expected.retryable ? 'false' : null;
      assert.equal(response.headers.get('x-should-retry'), dontRetry);
      const asked = upstream.requests.length - already;
      assert.deepEqual([asked, problem.service_metadata.attempt], scripts === undefined ? [0, 0] : [2, 2]);
      const [usage] = await gateway.storage.generations.usage(0, 'day');
      assert.equal(usage?.cost ?? 0n, 0n, 'nothing is charged');
    });
  }
}

test('a model of another interface is passed over for one that writes answers', async () => {
  upstream.play({ steps: chatStream('Good day.') });
  const already = upstream.requests.length;
  const body = { model: 'acme/vectors', models: ['acme/atlas'], input: 'Hello', stream: true };
  const answer = await (await gateway.post(body)).text();
  assert.match(answer, /"type":"response.completed".*"model":"acme\/atlas"/);
  assert.equal(upstream.requests.length, already + 1);
});
