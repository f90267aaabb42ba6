import fc from 'fast-check';
import { type HostedItemType, hostedKindOf } from '../../src/core/hosted.ts';
import type { CallItem, ContentPart, Item } from '../../src/core/request.ts';

type Arbitrary<Value> = fc.Arbitrary<Value>;

const text = fc.constantFrom('Tide?', 'High at noon. ', '  ', '', 'naïve 🌊');
const said: Arbitrary<ContentPart> = text.map((words) => ({ kind: 'text', text: words }));
const picture: ContentPart = { kind: 'image', url: 'data:image/png;base64,iVBORw0=', detail: 'auto' };
const document: ContentPart = { kind: 'file', data: 'JVBERi0=', filename: 'a.pdf' };
const part = fc.oneof({ weight: 4, arbitrary: said }, fc.constantFrom(picture, document));
const parts = fc.array(part, { minLength: 1, maxLength: 3 });

const seal = fc.constantFrom(
  {},
  { signature: 'c2ln', format: 'anthropic-claude-v1' } as const,
  { encrypted: 'c2Vh', format: 'anthropic-claude-v1' } as const,
  { encrypted: 'c2Vh', format: 'openai-responses-v1' } as const,
  { encrypted: 'c2Vh', signature: 'c2ln', format: 'google-gemini-v1' } as const,
  { signature: 'c2ln' },
);
const reasoning: Arbitrary<Item> = fc
  .record({ content: fc.array(text, { maxLength: 1 }), seal })
  .map(({ content, seal: sealed }): Item => ({ kind: 'reasoning', summary: [], content, ...sealed }));

const callId = fc.constantFrom('call_a', 'call.a', 'functions.find:0', 'x'.repeat(70), `${'x'.repeat(70)}y`);
const call = fc.record({
  kind: fc.constant('call' as const),
  form: fc.constantFrom('function', 'custom'),
  callId,
  name: fc.constantFrom('find', 'run'),
  input: fc.constantFrom('', '{"a":1}', '[1]', 'ls', '{"a":'),
});

/** Kinds whose items say both what was asked and what came of it, or need no answer. */
const hostedTypes = (Object.keys(hostedKindOf) as HostedItemType[]).filter(
  (type) => !type.endsWith('_output') && type !== 'mcp_approval_response' && type !== 'computer_call',
);
const hosted: Arbitrary<Item> = fc.record({
  kind: fc.constant('hosted'),
  type: fc.constantFrom(...hostedTypes),
  id: fc.constantFrom('it_1', `it_${'y'.repeat(50)}`, undefined),
  fields: fc.record({ action: fc.constant({ type: 'search', query: 'q' }) }, { requiredKeys: [] }),
});
const message = fc.record({
  kind: fc.constant('message'),
  role: fc.constantFrom('system', 'developer', 'user', 'assistant'),
  content: parts,
});

type Step =
  | { readonly do: 'say'; readonly item: Item }
  | { readonly do: 'call'; readonly item: CallItem; readonly mayWait: boolean }
  | Answer;
interface Answer {
  readonly do: 'answer';
  readonly which: number;
  readonly output: readonly ContentPart[];
}

const step: Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('say'), item: fc.oneof(message, message, reasoning, hosted) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('call'), item: call, mayWait: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer'), which: fc.nat(3), output: parts }) },
);

const question: Step = {
  do: 'say',
  item: { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'When?' }] },
};

/**
 * Conversations as the gateway takes them: outputs have calls, and calls outputs unless they run on
 * (docs/spec/items.md#pairing). Somebody says something, and no two calls of one id are open together; all else may
 * come in any order.
 */
export const conversations: Arbitrary<readonly Item[]> = fc
  .tuple(fc.array(step, { maxLength: 4 }), fc.array(step, { maxLength: 8 }))
  .map(([before, after]) => play([...before, question, ...after]));

function play(steps: readonly Step[]): readonly Item[] {
  const items: Item[] = [];
  const open: CallItem[] = [];
  const waiting = new Set<CallItem>();
  const answer = (made: CallItem | undefined, output: readonly ContentPart[]): void => {
    if (made === undefined) return;
    open.splice(open.indexOf(made), 1);
    items.push({ kind: 'call_output', form: made.form, callId: made.callId, output });
  };
  for (const taken of steps) {
    if (taken.do === 'say') items.push(taken.item);
    else if (taken.do === 'answer') answer(open[taken.which % open.length], taken.output);
    else if (!open.some(({ callId: id }) => id === taken.item.callId)) {
      items.push(taken.item);
      open.push(taken.item);
      if (taken.mayWait) waiting.add(taken.item);
    }
  }
  const due = open.filter((made) => !waiting.has(made));
  if (items.some((item, place) => due.some((made) => items.indexOf(made) < place) && item.kind !== 'call')) {
    for (const made of due) answer(made, [{ kind: 'text', text: 'Late' }]);
  }
  return items;
}
