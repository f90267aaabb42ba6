import fc from 'fast-check';
import { fieldFaults } from './malformed-fields.ts';
import { itemFaults } from './malformed-items.ts';
import { any, nested } from './malformed-values.ts';
import { type Body, validBodies } from './valid-bodies.ts';

/** A body with one fault. As JSON text it has the same fault, so it can go over a socket as well. */
export interface MalformedBody {
  readonly body: unknown;
  /** What the error message must begin with: where the fault is, in the request's own spelling. */
  readonly path: string;
}

const hello = { role: 'user', content: 'Hello.' };

const badRoots: fc.Arbitrary<MalformedBody> = any(null, 5, 'text', true, [], [{}], nested(800)).map(
  (body) => ({
    body,
    path: 'body',
  }),
);

const badFields = fc.tuple(validBodies, fc.constantFrom(...fieldFaults)).chain(([body, fault]) =>
  fault.value.map(
    (value): MalformedBody => ({
      body: { ...plain(body), ...bare(fault.path), [root(fault.path)]: value },
      path: fault.path,
    }),
  ),
);

const badItems = fc
  .tuple(validBodies, fc.constantFrom(...itemFaults), fc.integer({ min: 0, max: 40 }))
  .map(([body, fault, before]): MalformedBody => {
    const input = [...Array(before).fill(hello), fault.item];
    return { body: { ...plain(body), input }, path: `input[${before}]${fault.path}` };
  });

const badInputs = fc
  .tuple(
    validBodies,
    any(undefined, null, '', [], 5, true, {}, [{ role: 'user', content: null }], { 0: hello }),
  )
  .map(([body, input]): MalformedBody => ({ body: { ...plain(body), input }, path: 'input' }));

const contradictions = validBodies.chain((body) =>
  fc.constantFrom<MalformedBody>(
    { body: { input: 'x' }, path: 'model' },
    { body: { input: 'x', model: null, models: [] }, path: 'model' },
    { body: { ...plain(body), input: 'x', tools: [], tool_choice: 'required' }, path: 'tool_choice' },
    {
      body: { ...plain(body), reasoning: { max_tokens: 500 }, max_output_tokens: 500 },
      path: 'reasoning.max_tokens',
    },
    {
      body: {
        ...plain(body),
        input: [{ type: 'function_call', call_id: 'c', name: 'g h', arguments: '' }, hello],
      },
      path: 'input[0].call_id',
    },
    {
      body: { ...plain(body), input: [...Array(5000).fill(hello), { role: 'x' }] },
      path: 'input[5000].role',
    },
  ),
);

/** Bodies that must be refused with 400 or 422 and a message that begins with `path`. */
export const malformedBodies: fc.Arbitrary<MalformedBody> = fc.oneof(
  { weight: 1, arbitrary: badRoots },
  { weight: 10, arbitrary: badFields },
  { weight: 8, arbitrary: badItems },
  { weight: 1, arbitrary: badInputs },
  { weight: 1, arbitrary: contradictions },
);

/** A body without what could hide or answer the fault. */
function plain({ tools: _tools, tool_choice: _choice, prompt: _prompt, ...body }: Body): Body {
  return body;
}

/** Items may add the very tools that a bad choice names. */
function bare(path: string): Body {
  return path.startsWith('tool_choice') ? { input: 'x' } : {};
}

function root(path: string): string {
  return /^\w+/.exec(path)?.[0] ?? path;
}
