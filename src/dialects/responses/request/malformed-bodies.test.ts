import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { malformedBodies } from '../../../../test/generators/malformed-bodies.ts';
import { validBodies } from '../../../../test/generators/valid-bodies.ts';
import { hostedCalls } from '../../../../test/generators/valid-hosted-items.ts';
import { answersTo, outputItems } from '../../../../test/generators/valid-items.ts';
import { parse, parseBare } from '../../../../test/support/request-parsing.ts';
import { HeadgateError } from '../../../core/errors.ts';

const quotedLimit = 40;

test('2,000 malformed bodies are each refused with 400 or 422 and the path of the fault', () => {
  fc.assert(
    fc.property(malformedBodies, ({ body, path }) => {
      const message = assertRefused(body);
      assert(message.startsWith(path), `expected a message about ${path}, got ${message.slice(0, 200)}`);
    }),
    { numRuns: 2000 },
  );
});

test('a malformed body is refused alike after a way over the wire', () => {
  fc.assert(
    fc.property(malformedBodies, ({ body, path }) => {
      assert(assertRefused(JSON.parse(JSON.stringify(body))).startsWith(path));
    }),
    { numRuns: 300 },
  );
});

test('a body of any JSON values is answered with a request or a refusal, never anything else', () => {
  const names = fc.constantFrom(
    'model',
    'input',
    'tools',
    'text',
    'provider',
    'plugins',
    'tool_choice',
    'type',
  );
  const anyBody = fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(fc.oneof(anyBody, fc.jsonValue()), (body) => {
      try {
        parseBare(body);
      } catch (thrown) {
        assert(thrown instanceof HeadgateError, String(thrown));
      }
    }),
    { numRuns: 1000 },
  );
});

test('valid bodies are accepted, and the objects of the body stay as they were', () => {
  fc.assert(
    fc.property(validBodies, (body) => {
      const before = JSON.stringify(body);
      const { canonical, models, echo } = parseBare(body);
      assert(canonical.items.length > 0 || canonical.prompt !== undefined);
      assert(models.length > 0);
      assert.equal(typeof echo.parallel_tool_calls, 'boolean');
      assert.equal(JSON.stringify(body), before);
    }),
    { numRuns: 1000 },
  );
});

test('every item an answer may hold is accepted unchanged as input of the next turn', () => {
  fc.assert(
    fc.property(outputItems, fc.array(fc.oneof(...hostedCalls), { maxLength: 3 }), (output, hosted) => {
      const input = [{ role: 'user', content: 'Go on.' }, ...output, ...hosted, ...answersTo(output)];
      const { items } = parse({ input }).canonical;
      assert.equal(items.length, input.length);
    }),
    { numRuns: 500 },
  );
});

function assertRefused(body: unknown): string {
  try {
    parseBare(body);
  } catch (thrown) {
    assert(thrown instanceof HeadgateError, `not a HeadgateError: ${thrown}`);
    assert([400, 422].includes(thrown.status), `status ${thrown.status}`);
    assert(!thrown.message.includes('does not fit its schema'), 'the fault was not found');
    for (const quoted of thrown.message.split(', got ').slice(1)) {
      assert(quoted.length <= 6 * quotedLimit + 20, `quotes too much: ${quoted.slice(0, 300)}`);
    }
    return thrown.message;
  }
  assert.fail(`accepted: ${JSON.stringify(body).slice(0, 300)}`);
}
