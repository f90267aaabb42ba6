import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../test/fake-upstream/upstream-call.ts';
import { assertGrowsEvenly } from '../../test/support/assert-grows-evenly.ts';
import { supportOf } from '../../test/support/scripted-upstream.ts';
import type { FunctionTool } from '../core/request.ts';
import type { JsonObject } from '../util/json.ts';
import { featuresUsed } from './features-used.ts';
import { translate } from './translate.ts';

function merged(parameters: JsonObject, rootObjects = true) {
  const tools: FunctionTool[] = [
    { kind: 'function', name: 'w', description: 'Does.', parameters, strict: true },
  ];
  const { request, model, endpoint } = createCall({ request: { tools } });
  const support = { ...supportOf(), rootObjects };
  const { request: sent, alterations } = translate(request, featuresUsed(request), {
    model,
    endpoint,
    support,
  });
  const [tool] = sent.tools;
  assert.ok(tool?.kind === 'function');
  return { tool, alterations };
}

const city = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string' } },
  required: ['city', 'unit'],
};
const place = {
  type: 'object',
  properties: { lat: { type: 'number' }, unit: { enum: [1] } },
  required: ['lat', 'unit'],
};

test('alternatives become one object that demands what each demands', () => {
  const { tool, alterations } = merged({ anyOf: [city, place], description: 'd' });
  assert.deepEqual(tool.parameters, {
    description: 'd',
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { anyOf: [{ type: 'string' }, { enum: [1] }] },
      lat: { type: 'number' },
    },
    required: ['unit'],
  });
  assert.equal(tool.strict, false);
  assert.match(tool.description ?? '', /^Does\.\nIts arguments must fit \{"anyOf":\[/);
  assert.deepEqual(
    alterations.map(({ field, action }) => `${field} ${action}`),
    ['tools[0].parameters adapted'],
  );
});

test('what all must fit is demanded as a whole, references included', () => {
  const { tool } = merged({
    type: 'object',
    properties: { own: {} },
    required: ['own'],
    allOf: [{ $ref: '#/$defs/city' }, place],
    $defs: { city },
  });
  assert.deepEqual(Object.keys(tool.parameters?.properties as object), ['own', 'city', 'unit', 'lat']);
  assert.deepEqual(tool.parameters?.required, ['own', 'city', 'unit', 'lat']);
  assert.ok(tool.parameters?.$defs);
});

test('an object, and a provider that takes alternatives, are left alone', () => {
  const plain = { ...city, properties: { ...city.properties, any: { anyOf: [city, place] } } };
  for (const [parameters, rootObjects] of [
    [plain, true],
    [{ anyOf: [city] }, false],
  ] as const) {
    const { tool, alterations } = merged(parameters, rootObjects);
    assert.deepEqual([tool.parameters, tool.strict, alterations], [parameters, true, []]);
  }
});

test('schemas that hold themselves end, and many alternatives take time with their number', () => {
  const self = { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#/$defs/s' })), properties: { a: {} } };
  const { tool } = merged({ oneOf: [{ $ref: '#/$defs/s' }], $defs: { s: self } });
  assert.deepEqual(tool.parameters?.properties, { a: {} });
  assertGrowsEvenly(20_000, (length) => {
    const anyOf = Array.from({ length }, (_, at) => ({
      properties: { kind: { const: at } },
      required: ['kind'],
    }));
    assert.deepEqual(merged({ anyOf }).tool.parameters?.required, ['kind']);
  });
});
