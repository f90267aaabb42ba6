import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { itemSamples, toolSamples } from '../../../../test/samples/request-kinds.ts';
import { checkContract } from '../../../../test/support/contract.ts';
import { parse, parseBare } from '../../../../test/support/request-parsing.ts';
import { serviceTools, toolKinds } from '../../gateway/tools/tool-kinds.ts';
import { toResponseUsage } from '../answer/responses-writer.ts';
import { itemKinds } from './items/item-kinds.ts';
import { ResponsesRequestSchema } from './responses-request-schema.ts';

const accepts = new Ajv2020({ strict: false }).compile(JSON.parse(JSON.stringify(ResponsesRequestSchema)));

/** Kinds the contract has no schema for although docs/spec/items.md#kinds lists them. */
const unknownToContract = new Set(['computer_call_output', 'configuration_update']);

function checkEverywhere(body: object, type: string): void {
  const complete = { model: 'acme/swift-1', ...body };
  assert(accepts(complete), `${type}: ${JSON.stringify(accepts.errors?.slice(0, 3))}`);
  if (!unknownToContract.has(type)) checkContract('ResponsesRequest', complete);
  parseBare(complete);
}

for (const [type, samples] of Object.entries(itemSamples)) {
  test(`a ${type} item is accepted by parser, public schema and contract`, () => {
    for (const sample of samples) checkEverywhere({ input: [sample, { role: 'user', content: 'x' }] }, type);
  });
}

for (const [type, samples] of Object.entries(toolSamples)) {
  test(`a ${type} tool is accepted by parser, public schema and contract`, () => {
    for (const sample of samples) checkEverywhere({ input: 'x', tools: [sample] }, type);
  });
}

test('every kind of the catalogue has a sample here or in the tests of its own', () => {
  const tested = ['message', 'reasoning', 'item_reference'];
  const calls = ['function_call', 'custom_tool_call'].flatMap((type) => [type, `${type}_output`]);
  const known = [...itemKinds.rows.keys()].filter((type) => !type.startsWith('service:'));
  assert.deepEqual(known.sort(), [...tested, ...calls, ...Object.keys(itemSamples)].sort());
  // The contract knows the search of tools by its type id alone.
  const tools = [...toolKinds.rows.keys()].filter((type) => !/^service:|^tool_search$/.test(type));
  assert.deepEqual(tools.sort(), Object.keys(toolSamples).sort());
  assert.equal([...itemKinds.rows.keys()].filter((type) => type.startsWith('service:')).length, 19);
  assert.equal(serviceTools.size, 14);
});

test('the echo of every tool has the shape of the contract', () => {
  for (const samples of Object.values(toolSamples)) {
    for (const sample of samples) {
      const { echo } = parse({ tools: [sample] });
      checkContract('OpenResponsesResult', {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        completed_at: 2,
        status: 'completed',
        model: 'acme/swift-1',
        output: [],
        error: null,
        incomplete_details: null,
        usage: toResponseUsage(undefined),
        ...echo,
      });
      assert.equal(echo.tools[0]?.type, sample.type);
    }
  }
});
