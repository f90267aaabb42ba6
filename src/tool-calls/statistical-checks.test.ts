import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import type { ModelCall } from '../core/model-call.ts';
import { parseInferenceRequest } from '../dialects/responses/request/parse-inference-request.ts';
import { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { MemoryEndpointStatistics } from '../shared-state/memory/statistics/memory-endpoint-statistics.ts';
import type { JsonObject } from '../util/json.ts';
import { fitsSchema } from './fits-schema.ts';
import { judgeCalls } from './judge-calls.ts';
import { StatisticalChecks } from './statistical-checks.ts';

const city = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: ['integer', 'null'], minimum: 1 } },
  required: ['city'],
  additionalProperties: false,
};
const { canonical } = parseInferenceRequest(
  {
    model: 'acme/atlas',
    input: 'Hi',
    tools: [
      { type: 'function', name: 'weather', parameters: city },
      { type: 'function', name: 'anything' },
      { type: 'custom', name: 'run' },
      {
        type: 'namespace',
        name: 'maps',
        description: 'Maps.',
        tools: [{ type: 'function', name: 'route', parameters: city }],
      },
    ],
  },
  { headers: {}, aliases: [], echoDefaults: false, hashEndUser: (raw: string) => raw },
).request;

const call = (name: string, input: string, namespace?: string): ModelCall => ({
  form: 'function',
  name,
  input,
  namespace,
});
const custom: ModelCall = { form: 'custom', name: 'run', input: 'not json' };

test('faults are found by kind; an answer without calls says nothing', () => {
  const judge = (...calls: ModelCall[]) => judgeCalls(canonical, calls);
  assert.equal(judge(), undefined);
  assert.deepEqual(judge(call('weather', '{"city":')), { fault: 'InvalidJson' });
  assert.deepEqual(judge(call('wether', '{}')), { fault: 'UnknownName' });
  assert.deepEqual(judge(call('route', '{}')), { fault: 'UnknownName' }, 'it is in a namespace');
  assert.deepEqual(judge(custom, call('anything', '{"a":1}')), { checks: [] });
  assert.deepEqual(judge(call('weather', '{}'), call('nothing', '{}')), { fault: 'UnknownName' });
  const value = { city: 'Oslo' };
  assert.deepEqual(judge(call('route', '{"city":"Oslo"}', 'maps')), { checks: [{ schema: city, value }] });
});

test('arguments are held to Draft 7; a broken schema is no fault of theirs', () => {
  const cases: [schema: JsonObject, value: unknown, fits: boolean][] = [
    [city, { city: 'Oslo', days: 2 }, true],
    [city, { city: 'Oslo', days: null }, true],
    [city, { city: 'Oslo', days: 0 }, false],
    [city, { days: 2 }, false],
    [city, { city: 'Oslo', when: 'now' }, false],
    [{ $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, 1, false],
    [{ not: { type: 'string' } }, 'ab', false],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, false],
    [{ type: 'object', properties: { type: { const: 'x' } } }, { type: 'x' }, true],
    [{ enum: [{ type: 'odd' }] }, { type: 'even' }, false],
    [{ type: 'strin' }, 1, true],
    [{ type: 'object', properties: { a: { type: 'any' } } }, { a: 1 }, true],
    [{ $ref: '#/nowhere' }, 1, true],
    [{ type: 'string', pattern: '(' }, 'a', true],
    [{ $ref: '#' }, 1, true],
  ];
  for (const [schema, value, fits] of cases)
    assert.equal(fitsSchema({ schema, value }), fits, JSON.stringify([schema, value]));
});

test('one bad call marks its answer', async () => {
  const processes = new IsolatedProcesses();
  const statistics = new MemoryEndpointStatistics({ now: () => 0 });
  const [endpoint] = modelOf('acme/atlas', [providerOf({ slug: 'north' })]).endpoints;
  assert.ok(endpoint);
  const checks = new StatisticalChecks(statistics, processes);
  const good = call('weather', '{"city":"Oslo"}');
  checks.checkLater(endpoint, canonical, [good, good], 'one');
  checks.checkLater(endpoint, canonical, [good, call('weather', '{"city":7}')], 'one');
  checks.checkLater(endpoint, canonical, [good, call('nobody', '{}')], 'one');
  checks.checkLater(endpoint, canonical, [], 'one');
  const counts = () => statistics.answers(endpoint)?.toolCalls;
  for (let tries = 0; tries < 500 && (counts()?.requests ?? 0) < 3; tries += 1) await sleep(10);
  await processes.close();
  assert.deepEqual(counts(), { requests: 3, marked: 2 });
});
