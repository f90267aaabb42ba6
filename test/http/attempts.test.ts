import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Timeouts } from '../../src/core/catalogue.ts';
import { chatBody, chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';
import { patientTimeouts } from '../support/timeouts.ts';

type Slug = 'north' | 'south' | 'east';

const slugs: readonly Slug[] = ['north', 'south', 'east'];
let upstreams: Readonly<Record<Slug, FakeUpstream>>;
let gateway: TestGateway;
/** One that ends requests soon, for providers that are silent on purpose. */
let hasty: TestGateway;

before(async () => {
  const [north, south, east] = await Promise.all([
    startFakeUpstream(),
    startFakeUpstream(),
    startFakeUpstream(),
  ]);
  upstreams = { north, south, east };
  const providersWith = (limits: Partial<Timeouts> = {}) =>
    slugs.map((slug) => {
      const timeouts = { ...patientTimeouts, ...limits };
      return providerOf({ slug, baseUrl: `${upstreams[slug].url}/v1`, timeouts });
    });
  const providers = providersWith();
  const [one, two, three] = providers;
  assert.ok(one && two && three);
  const sizes = [8000, 4000, 32_000];
  const sized = modelOf('acme/sized', providers);
  const guarded = modelOf('acme/guarded', providers);
  gateway = await startGateway({
    models: [
      modelOf('acme/pair', [one, two]),
      modelOf('acme/single', [one]),
      { ...modelOf('acme/gone', [one]), retired: {} },
      modelOf('acme/many', Array<typeof one>(11).fill(one)),
      modelOf('globex/ibis', [three]),
      { ...sized, endpoints: sized.endpoints.map((each, at) => ({ ...each, contextLength: sizes[at] })) },
      { ...guarded, endpoints: guarded.endpoints.map((each, at) => ({ ...each, isModerated: at < 2 })) },
      modelOf('acme/hedged', [one, two], { hedgeAfter: 30 }),
      modelOf('acme/impatient', providersWith({ firstEvent: 60 }).slice(0, 1)),
    ],
  });
  hasty = await startGateway({
    models: [modelOf('acme/patient', providers.slice(0, 1))],
    server: { requestTimeout: 300 },
  });
});

after(async () => {
  await Promise.all([gateway.stop(), hasty.stop()]);
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
});

const good: Script = { steps: chatStream('Good day.'), whole: chatBody('Good day.') };
const refuses = (status: number, error: object = {}, headers: Record<string, string> = {}): Script => {
  const body = JSON.stringify({ error: { message: 'No.', ...error } });
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [body],
    whole: undefined,
  };
};
const waits = (seconds: number) => ({ 'retry-after': String(seconds) });
const limited = refuses(429);
const region = refuses(403, { code: 'unsupported_country_region_territory' });
const tooLong = refuses(400, { code: 'context_length_exceeded' });
const policy = { code: 'content_policy_violation' };
const silent: Script = { ending: 'hang' };
const empty: Script = { steps: ['data: [DONE]\n\n'], whole: '{"choices":[]}' };
const cut: Script = { ending: 'cut' };
const garbage: Script = { steps: ['data: {"choices": \n\n'], whole: '{"choices": ' };

interface Case {
  readonly name: string;
  readonly scripts: Partial<Record<Slug, Script>>;
  /** Default acme/pair, which north and south serve. */
  readonly model?: string;
  readonly models?: readonly string[];
  readonly provider?: object;
  readonly status: number;
  /** Who was asked, in order. */
  readonly asked: readonly Slug[];
  readonly type?: string;
  readonly availability?: string;
  /** The header `Retry-After`, and `retry_after` in the body. */
  readonly retryAfter?: string;
  readonly retryAfterBody?: number;
  /** Statuses of the attempts before the last. */
  readonly previous?: readonly number[];
  readonly providerCode?: string;
  /** Whether a second try of the same may succeed, where the availability says it. */
  readonly retryable?: boolean;
}

const both = (script: Script) => ({ north: script, south: script });
const single = { model: 'acme/single', asked: ['north'] } as const;
const pair = ['north', 'south'] as const;

/** Every row of docs/spec/routing.md#outcomes, docs/spec/routing.md#final-error. */
const cases: readonly Case[] = [
  // One attempt: the status of its class.
  { name: 'connection cut', ...single, scripts: { north: cut }, status: 502, type: 'provider_unavailable' },
  { name: 'upstream 500', ...single, scripts: { north: refuses(500) }, status: 502, providerCode: '500' },
  { name: 'empty answer', ...single, scripts: { north: empty }, status: 502 },
  { name: 'invalid answer', ...single, scripts: { north: garbage }, status: 502 },
  { name: 'upstream 408', ...single, scripts: { north: refuses(408) }, status: 524, type: 'timeout' },
  { name: 'upstream 504', ...single, scripts: { north: refuses(504) }, status: 524 },
  {
    name: 'upstream 503',
    ...single,
    scripts: { north: refuses(503) },
    status: 529,
    type: 'provider_overloaded',
  },
  { name: 'upstream 529', ...single, scripts: { north: refuses(529) }, status: 529 },
  {
    name: 'upstream 503 with a hint',
    ...single,
    scripts: { north: refuses(503, {}, waits(7)) },
    status: 529,
    retryAfter: '7',
  },
  {
    name: 'upstream 429',
    ...single,
    scripts: { north: limited },
    status: 429,
    type: 'rate_limit_exceeded',
    availability: 'capacity_exhausted',
    retryable: true,
  },
  { name: 'upstream 401', ...single, scripts: { north: refuses(401) }, status: 502, providerCode: '401' },
  { name: 'upstream 402', ...single, scripts: { north: refuses(402) }, status: 502, providerCode: '402' },
  { name: 'upstream 403', ...single, scripts: { north: refuses(403) }, status: 502, providerCode: '403' },
  {
    name: 'geographic 403',
    ...single,
    scripts: { north: region },
    status: 403,
    type: 'permission_denied',
    availability: 'region_restricted',
    retryable: false,
  },
  {
    name: 'upstream 404',
    ...single,
    scripts: { north: refuses(404) },
    status: 404,
    type: 'not_found',
    availability: 'model_unavailable_upstream',
    retryable: false,
  },
  {
    name: 'prompt too long',
    ...single,
    scripts: { north: tooLong },
    status: 400,
    type: 'context_length_exceeded',
  },
  {
    name: 'refusal by policy',
    ...single,
    scripts: { north: refuses(400, policy) },
    status: 400,
    type: 'content_policy_violation',
  },
  {
    name: 'flagged input',
    ...single,
    scripts: { north: refuses(403, policy) },
    status: 403,
    type: 'content_policy_violation',
  },
  { name: 'upstream 400', ...single, scripts: { north: refuses(400) }, status: 400, type: 'invalid_request' },
  {
    name: 'upstream 413',
    ...single,
    scripts: { north: refuses(413) },
    status: 413,
    type: 'payload_too_large',
  },
  { name: 'upstream 422', ...single, scripts: { north: refuses(422) }, status: 422, type: 'unprocessable' },

  // Endpoint: the next one answers.
  ...[cut, refuses(500), empty, garbage, refuses(504), refuses(503), limited].map((north, at) => ({
    name: `handed over ${at}`,
    scripts: { north, south: good },
    status: 200,
    asked: pair,
  })),
  ...[
    ...[refuses(401), refuses(402), refuses(403), region, refuses(404), refuses(413)],
    ...[
      refuses(400, { message: 'Unknown Model, please check the model code.' }),
      refuses(422, { message: 'model x not found' }),
    ],
    ...[refuses(400, { message: 'This organization has been disabled.' })],
  ].map((north, at) => ({
    name: `handed over although not for the endpoint alone ${at}`,
    scripts: { north, south: good },
    status: 200,
    asked: pair,
  })),
  // Model: the rest of the model is passed over.
  ...[refuses(400), refuses(422), refuses(400, policy), tooLong].map((north, at) => ({
    name: `next model ${at}`,
    scripts: { north, south: good, east: good },
    models: ['globex/ibis'],
    status: 200,
    asked: ['north', 'east'] as const,
  })),
  {
    name: 'next model, also behind more endpoints than may be tried',
    model: 'acme/many',
    scripts: { north: refuses(400), east: good },
    models: ['globex/ibis'],
    status: 200,
    asked: ['north', 'east'],
  },
  {
    name: 'prompt too long for the small',
    model: 'acme/sized',
    scripts: { north: tooLong, south: good, east: good },
    status: 200,
    asked: ['north', 'east'],
  },
  {
    name: 'flagged by the guards',
    model: 'acme/guarded',
    scripts: { north: refuses(403, policy), south: good, east: good },
    status: 200,
    asked: ['north', 'east'],
  },

  // Several failed.
  {
    name: 'all 429, all with hints',
    scripts: { north: refuses(429, {}, waits(9)), south: refuses(429, {}, waits(4)) },
    status: 429,
    asked: pair,
    availability: 'capacity_exhausted',
    retryAfter: '4',
    retryAfterBody: 4,
    previous: [429],
    retryable: true,
  },
  {
    name: 'all 429, one with a hint',
    scripts: { north: refuses(429, {}, waits(9)), south: limited },
    status: 429,
    asked: pair,
    availability: 'capacity_exhausted',
    retryAfterBody: 9,
    previous: [429],
  },
  {
    name: 'all 429, at once',
    scripts: { north: refuses(429, {}, waits(0)), south: refuses(429, {}, waits(4)) },
    status: 429,
    asked: pair,
    availability: 'capacity_exhausted',
    retryAfter: '1',
    retryAfterBody: 1,
    previous: [429],
  },
  {
    name: 'all 429 without hints',
    scripts: both(limited),
    status: 429,
    asked: pair,
    availability: 'capacity_exhausted',
    previous: [429],
  },
  {
    name: 'all 404',
    scripts: both(refuses(404)),
    status: 404,
    asked: pair,
    availability: 'model_unavailable_upstream',
    previous: [404],
  },
  {
    name: 'all geographic',
    scripts: both(region),
    status: 403,
    asked: pair,
    availability: 'region_restricted',
    previous: [403],
  },
  {
    name: 'several transient',
    scripts: { north: refuses(500), south: refuses(504) },
    status: 503,
    asked: pair,
    type: 'provider_overloaded',
    availability: 'temporarily_unavailable',
    previous: [502],
    retryable: true,
  },
  {
    name: 'several transient, all with hints',
    scripts: { north: refuses(503, {}, waits(12)), south: refuses(429, {}, waits(5)) },
    status: 503,
    asked: pair,
    availability: 'temporarily_unavailable',
    retryAfter: '5',
    retryAfterBody: 5,
    previous: [529],
  },
  {
    name: 'several transient, one with a hint',
    scripts: { north: refuses(503, {}, waits(12)), south: cut },
    status: 503,
    asked: pair,
    availability: 'temporarily_unavailable',
    retryAfterBody: 12,
    previous: [529],
  },
  {
    name: 'several transient without fallbacks',
    scripts: { north: refuses(500), south: refuses(504) },
    provider: { allow_fallbacks: false },
    status: 524,
    asked: pair,
    previous: [502],
  },
  {
    name: 'credentials everywhere: nothing a retry mends',
    scripts: { north: refuses(401), south: refuses(403) },
    status: 502,
    asked: pair,
    previous: [502],
    providerCode: '403',
  },
  {
    name: 'mixed: the last',
    scripts: { north: refuses(500), south: refuses(404) },
    status: 404,
    asked: pair,
    previous: [502],
  },
  {
    name: 'the last of the last model',
    scripts: { north: limited, south: limited, east: refuses(422) },
    models: ['globex/ibis'],
    status: 422,
    asked: ['north', 'south', 'east'],
    previous: [429, 429],
  },
];

/** Sends a request to providers with these scripts; tells whom it reached, in the order they were asked. */
async function play(scripts: Case['scripts'], body: object, at = gateway) {
  const already = slugs.map((slug) => upstreams[slug].requests.length);
  for (const slug of slugs) upstreams[slug].play(scripts[slug] ?? good);
  const response = await at.post({ input: 'Hello', ...body }, { 'X-Service-Metadata': 'enabled' });
  const asked = () =>
    slugs.flatMap((slug, index) =>
      Array<Slug>(upstreams[slug].requests.length - (already[index] ?? 0)).fill(slug),
    );
  return { response, asked };
}

async function generationOf(response: Response, at = gateway) {
  const id = response.headers.get('x-generation-id') ?? '';
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await at.storage.generations.find(id);
    if (found !== undefined) return found;
    await sleep(20);
  }
  return assert.fail('the generation was never booked');
}

interface Problem {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata: {
      readonly error_type: string;
      readonly provider_code?: string;
      readonly provider_name?: string;
      readonly previous_errors?: readonly { provider: string; code: string; status: number }[];
      readonly availability?: {
        readonly code: string;
        readonly retryable: boolean;
        readonly retry_after?: number;
        readonly affected_providers?: readonly string[];
        readonly requested_models: readonly string[];
      };
    };
  };
  readonly service_metadata: { readonly attempts: readonly { readonly status: number }[] };
}

/** What the last attempt itself failed with: told as it was, unless several together mean something else. */
function lastAttempt({ availability, status, scripts, asked }: Case): number | undefined {
  if (availability !== 'temporarily_unavailable') return status;
  const last = scripts[asked.at(-1) ?? 'north'];
  return last?.ending === 'cut' ? 502 : last?.status === 504 ? 524 : last?.status;
}

async function checkProblem(response: Response, expected: Case): Promise<void> {
  const body = (await response.json()) as Problem;
  checkContract('BadRequestResponse', body);
  checkContract('ServiceMetadata', body.service_metadata);
  const { metadata } = body.error;
  assert.equal(body.error.code, expected.status);
  if (expected.type !== undefined) assert.equal(metadata.error_type, expected.type);
  if (expected.providerCode !== undefined) assert.equal(metadata.provider_code, expected.providerCode);
  assert.equal(metadata.provider_name, expected.asked.at(-1));
  assert.deepEqual(
    metadata.previous_errors?.map(({ provider, status }) => [provider, status]),
    expected.previous?.map((status, at) => [expected.asked[at], status]),
  );
  const { availability } = metadata;
  assert.equal(availability?.code, expected.availability);
  assert.equal(availability?.retry_after, expected.retryAfterBody);
  if (expected.retryable !== undefined) assert.equal(availability?.retryable, expected.retryable);
  assert.deepEqual(
    body.service_metadata.attempts.map(({ status }) => status),
    [...(expected.previous ?? []), lastAttempt(expected)],
  );
}

for (const stream of [true, false]) {
  for (const expected of cases) {
    test(`${expected.name}, ${stream ? 'streamed' : 'unstreamed'}: ${expected.status}`, async () => {
      const { scripts, model = 'acme/pair', models, provider, status } = expected;
      const body = { model, models, stream, provider: { order: slugs, ...provider } };
      const { response, asked } = await play(scripts, body);
      assert.equal(response.status, status);
      assert.equal(response.headers.get('retry-after'), expected.retryAfter ?? null);
      const answered = status === 200;
      if (!answered) await checkProblem(response, expected);
      else {
        const answer = stream
          ? (await readStream(response)).terminal
          : ((await response.json()) as Record<string, unknown>);
        assert.equal(textOf(answer), 'Good day.');
        checkContract('ServiceMetadata', answer.service_metadata);
      }
      assert.deepEqual(asked(), expected.asked);
      const { cost, attempts, provider: served } = await generationOf(response);
      assert.equal(cost, answered ? 42_000n : 0n, 'only who answered is charged');
      assert.deepEqual(
        attempts.map(({ provider: slug }) => slug),
        expected.asked,
      );
      assert.equal(served, answered ? expected.asked.at(-1) : undefined);
    });
  }
}

test('a provider that is silent from the start is 524, streamed', async () => {
  const { response } = await play({ north: silent }, { model: 'acme/impatient', stream: true });
  assert.equal(response.status, 524);
  assert.equal((await generationOf(response)).cost, 0n);
});

test('the limit of the whole request is 408', async () => {
  const { response } = await play({ north: silent }, { model: 'acme/patient', stream: true }, hasty);
  assert.equal(response.status, 408);
});

test('after the first output nobody else is asked: the error is told in the stream, which is not charged', async () => {
  const begun = [chatChunk({ role: 'assistant', content: '' }), chatChunk({ content: 'Good ' })];
  const reported = [...begun, dataEvent({ error: { message: 'Slow down.', code: 'rate_limit_exceeded' } })];
  for (const [north, type] of [
    [{ steps: begun, ending: 'cut' }, 'provider_unavailable'],
    [{ steps: begun, ending: 'end' }, 'provider_unavailable'],
    [{ steps: reported }, 'rate_limit_exceeded'],
  ] as const) {
    const { response, asked } = await play(
      { north },
      { model: 'acme/pair', stream: true, provider: { order: slugs } },
    );
    const { terminal, events } = await readStream(response);
    assert.equal(terminal.status, 'failed');
    assert.equal(terminal.error_type, type);
    checkContract('ServiceMetadata', terminal.service_metadata);
    assert.equal(events.at(-2)?.type, 'error');
    assert.deepEqual(asked(), ['north']);
    assert.equal((await generationOf(response)).cost, 0n);
  }
});

test('what the gateway refuses reaches nobody, whatever other models are named', async () => {
  const body = { model: 'acme/pair', models: ['globex/ibis'], temperature: 'hot' };
  const { response, asked } = await play({}, body);
  assert.equal(response.status, 400);
  assert.deepEqual(asked(), []);
});

test('one debug event tells each attempt', async () => {
  const body = {
    model: 'acme/pair',
    stream: true,
    provider: { order: slugs },
    debug: { echo_upstream_body: true },
  };
  const { response } = await play({ north: refuses(500) }, body);
  const { events } = await readStream(response);
  assert.deepEqual(
    events.slice(0, 3).map(({ type }) => type),
    ['response.debug', 'response.debug', 'response.created'],
  );
});

test('the bodies sent open a stream that fails after comments, before any provider answered', async () => {
  const body = {
    model: 'acme/pair',
    stream: true,
    provider: { order: slugs },
    debug: { echo_upstream_body: true },
  };
  gateway.setServer({ keepAlive: 20 });
  const { response } = await play({ north: { ...refuses(500), delay: 200 }, south: refuses(503) }, body);
  gateway.setServer({});
  const { events, comments } = await readStream(response);
  assert.notEqual(comments.length, 0);
  assert.deepEqual(
    events.map(({ type }) => type.replace('response.', '')),
    ['debug', 'debug', 'created', 'in_progress', 'error', 'failed'],
  );
});

test('a slow provider is raced: one answer, one charge, the loser’s connection closed', async () => {
  const body = { model: 'acme/hedged', stream: true, provider: { order: slugs } };
  const closed = upstreams.north.closed;
  const { response, asked } = await play({ north: silent }, body);
  assert.equal(textOf((await readStream(response)).terminal), 'Good day.');
  assert.deepEqual(asked(), ['north', 'south']);
  const { cost, provider, attempts } = await generationOf(response);
  assert.equal(cost, 42_000n);
  assert.equal(provider, 'south');
  assert.deepEqual(
    attempts.map(({ provider: slug, status }) => [slug, status]),
    [
      ['north', 499],
      ['south', 200],
    ],
  );
  await upstreams.north.closedConnections(closed + 1);
});

test('what was asked for is told whole after failed attempts, a model that is served no more too', async () => {
  upstreams.north.play(limited);
  const models = ['acme/gone', 'acme/single'];
  const response = await gateway.post({ models, input: 'Hi' });
  const { error } = (await response.json()) as { error: { metadata: { availability: object } } };
  assert.equal(response.status, 429);
  assert.deepEqual((error.metadata.availability as { requested_models: unknown }).requested_models, models);
});
