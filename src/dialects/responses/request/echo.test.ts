import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { validBodies } from '../../../../test/generators/valid-bodies.ts';
import { unsetEcho } from '../../../../test/support/assemble.ts';
import { checkContract } from '../../../../test/support/contract.ts';
import { parse, parseBare } from '../../../../test/support/request-parsing.ts';
import { toResponseUsage } from '../answer/responses-writer.ts';
import { ResponsesRequestSchema } from './responses-request-schema.ts';

test('unset settings are repeated as docs/spec/answers.md#response-object says', () => {
  assert.deepEqual(parse({}).echo, unsetEcho);
});

test("unset sampler settings may be repeated as the open standard's defaults", () => {
  assert.deepEqual(parse({}, { echoDefaults: true }).echo, {
    ...unsetEcho,
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    service_tier: 'default',
  });
  assert.equal(parse({ temperature: 0 }, { echoDefaults: true }).echo.temperature, 0);
});

test('set settings are repeated as they were sent', () => {
  const set = {
    instructions: 'Be brief.',
    metadata: { team: 'tide' },
    temperature: 0,
    top_p: 0.5,
    presence_penalty: 1,
    frequency_penalty: -1,
    parallel_tool_calls: false,
    max_output_tokens: 2000,
    safety_identifier: 'id-7',
    prompt_cache_key: 'key',
    user: 'Ann',
    reasoning: { effort: 'low' },
    truncation: 'auto',
    top_logprobs: 2,
    prompt_cache_options: { mode: 'explicit' },
  };
  assert.deepEqual(parse({ ...set, background: true, max_tool_calls: 31 }).echo, {
    ...unsetEcho,
    ...set,
    max_tool_calls: 30,
  });
});

test('a function tool is repeated with all its members, null if unset', () => {
  const tools = [
    { type: 'function', name: 'f', async: true, description: null },
    { type: 'custom', name: 'c', description: null, format: { type: 'text' } },
  ];
  assert.deepEqual(parse({ tools }).echo.tools, [
    { type: 'function', name: 'f', description: null, parameters: null, strict: null, async: true },
    { type: 'custom', name: 'c', format: { type: 'text' } },
  ]);
});

test('the public schema of the request accepts every valid body', () => {
  const ajv = new Ajv2020({ strict: false });
  const accepts = ajv.compile(JSON.parse(JSON.stringify(ResponsesRequestSchema)));
  fc.assert(
    fc.property(validBodies, (body) => {
      assert(accepts(body), JSON.stringify(accepts.errors?.slice(0, 3)));
    }),
    { numRuns: 500 },
  );
});

test('the echo of every valid body has the shapes of the contract, where that is present', () => {
  fc.assert(
    fc.property(validBodies, (body) => {
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
        ...parseBare(body).echo,
      });
    }),
    { numRuns: 500 },
  );
});
