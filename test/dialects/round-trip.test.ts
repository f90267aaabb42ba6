import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/util/json.ts';
import type { DialectScript, ScriptedAnswer, Utterance } from './dialect-script.ts';
import { dialects } from './dialects.ts';
import { openaiResponses } from './openai-responses.ts';
import { type Stage, setStage } from './support/stage.ts';

/** Where a dialect keeps the model's turn: in a whole answer, and in the request of the next turn. */
interface Turn {
  readonly said: (answer: JsonObject) => unknown;
  readonly replayed: (body: JsonObject) => unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every dialect, taken apart by their documented paths.
type Any = any;

const without = (object: Any, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([name, value]) => !names.includes(name) && value !== undefined && value !== null,
    ),
  );

/** Pieces of one text stand in one part. */
function joined(parts: readonly Any[], isText: (part: Any) => boolean): readonly Any[] {
  const whole: Any[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const alike = last !== undefined && isText(last) && isText(part) && last.thought === part.thought;
    if (alike) whole[whole.length - 1] = { ...last, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}

/** A call the provider left unsigned goes back with a word that it need not look for a signature. */
const foreignSignature = 'skip_thought_signature_validator';
const unsigned = (part: Any) =>
  part.thoughtSignature === foreignSignature ? without(part, 'thoughtSignature') : part;
const plainText = (part: Any) => typeof part.text === 'string' && part.thoughtSignature === undefined;
const geminiParts = (content: Any) => joined(content.parts.map(unsigned), plainText);

/** A signature may come as a piece of its own and goes back on what it signs. */
function wholeDetails(details: readonly Any[]): readonly Any[] {
  const whole: Any[] = [];
  for (const { index: _, ...detail } of details) {
    const last = whole.at(-1);
    const goesOn = last?.type === 'reasoning.text' && detail.type === 'reasoning.text' && !last.signature;
    if (goesOn) whole[whole.length - 1] = { ...last, ...detail, text: last.text + (detail.text ?? '') };
    else whole.push(detail);
  }
  return whole;
}

/** The members that a message of an assistant has in both directions. */
function chatMessage({ content, tool_calls = [], reasoning_details = [] }: Any): JsonObject {
  return {
    content: content ?? '',
    tool_calls: tool_calls.map((call: Any) => without(call, 'index')),
    reasoning_details: wholeDetails(reasoning_details),
  };
}

function responsesItem(item: Any): JsonObject {
  const members = without(item, 'id', 'status');
  if (item.type === 'reasoning' && item.content?.length === 0) return without(members, 'content');
  if (item.type !== 'message') return members;
  return { ...members, content: item.content.map((part: Any) => without(part, 'logprobs')) };
}

const turns: Readonly<Record<string, Turn>> = {
  'anthropic-messages': {
    said: ({ content }: Any) => content.map((block: Any) => without(block)),
    replayed: ({ messages }: Any) => messages[1].content,
  },
  'amazon-bedrock': {
    said: ({ output }: Any) => output.message.content,
    replayed: ({ messages }: Any) => messages[1].content,
  },
  'google-gemini': {
    said: ({ candidates }: Any) => geminiParts(candidates[0].content),
    replayed: ({ contents }: Any) => geminiParts(contents[1]),
  },
  'openai-chat': {
    said: ({ choices }: Any) => chatMessage(choices[0].message),
    replayed: ({ messages }: Any) => chatMessage(messages[1]),
  },
  'openai-responses': {
    said: ({ output }: Any) => output.map(responsesItem),
    replayed: ({ input }: Any) =>
      input
        .slice(1)
        .filter(({ type, role }: Any) => role !== 'user' && type !== 'function_call_output')
        .map(responsesItem),
  },
};

function turnOf({ adapter, model, answer }: DialectScript): Turn {
  const name =
    adapter === 'google-vertex'
      ? model?.includes('claude')
        ? 'anthropic-messages'
        : 'google-gemini'
      : adapter === 'azure-openai'
        ? isChat(answer)
          ? 'openai-chat'
          : 'openai-responses'
        : adapter;
  const turn = turns[name];
  assert.ok(turn, name);
  return turn;
}

function isChat(answer: DialectScript['answer']): boolean {
  return 'choices' in wholeOf(answer({ utterances: [{ say: ['x'] }], finish: 'stop' }, false).body);
}

function wholeOf(body: readonly Buffer[]): JsonObject {
  return JSON.parse(Buffer.concat(body).toString());
}

const words = fc.array(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((text) => `${text}.`),
  { minLength: 1, maxLength: 4 },
);
const seal = fc.base64String({ minLength: 8, maxLength: 80 });
const call = fc.record({ port: fc.string({ unit: 'grapheme', maxLength: 6 }), days: fc.nat(9) });

/** What a model can say in a turn: a summary, a thought with its seal, then text, then calls. */
function scripts(stage: Stage): fc.Arbitrary<ScriptedAnswer> {
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  return fc
    .record({
      summary: maybe(words),
      thought: maybe(fc.record({ think: words, seal })),
      say: maybe(words),
      calls: fc.array(call, { maxLength: 3 }),
    })
    .filter(({ say, calls }) => say !== undefined || calls.length > 0)
    .map(({ summary, thought, say, calls }) => {
      const made = calls.map((input, place) => ({
        id: `call_r${place}`,
        name: 'get_tide',
        arguments: [JSON.stringify(input)],
      }));
      const utterances: Utterance[] = [
        // The other dialects sum up where they think.
        ...(summary !== undefined && turnOf(stage.dialect) === turns['openai-responses']
          ? [{ summarize: summary }]
          : []),
        ...(thought === undefined ? [] : thoughtsOf(thought, stage)),
        ...(say === undefined ? [] : [{ say }]),
        ...(made.length > 0 ? [{ call: made }] : []),
      ];
      return { utterances, finish: made.length > 0 ? 'tool_calls' : 'stop', usage: { input: 9, output: 9 } };
    });
}

/** With the seal of the dialect; where a provider takes no reasoning back, as its table says, none. */
function thoughtsOf(
  { think, seal: sealed }: { readonly think: readonly string[]; readonly seal: string },
  { dialect: { adapter, cannot }, support }: Stage,
): readonly Utterance[] {
  if (support['item.reasoning.sealed'] !== 'native') return [];
  const signs = adapter.startsWith('google') || !cannot.has('signature');
  const signed = signs ? { signature: sealed } : {};
  const encrypted = cannot.has('signature') ? { encrypted: sealed } : {};
  return [{ think: cannot.has('think') ? [] : think, ...signed, ...encrypted }];
}

const tools = [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }];
const user = { role: 'user', content: 'Hello' };
const settings = { tools, reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] };

/** Models in their maker's own service show no thought here but only seal it. */
const sealing = (dialect: DialectScript): DialectScript =>
  turnOf(dialect) === turns['openai-responses']
    ? { ...dialect, cannot: new Set([...dialect.cannot, 'think']) }
    : dialect;
/** Open servers show their thoughts and want them back. */
const openServer: DialectScript = { ...openaiResponses, provider: { reasoningContent: true } };

describe('round trip', { concurrency: 3 }, () => {
  for (const dialect of [...dialects.map(sealing), openServer]) {
    describe(`${dialect.adapter} ${dialect.model ?? ''}`, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());

      test('what the model said comes back to it as it was', async () => {
        const turn = turnOf(dialect);
        await fc.assert(
          fc.asyncProperty(scripts(stage), fc.boolean(), async (script, stream) => {
            const plain: ScriptedAnswer = { utterances: [{ say: ['Yes.'] }], finish: 'stop' };
            stage.say(script, plain);
            const first = await stage.ask({ ...settings, stream });
            assert.equal(first.status, 200, JSON.stringify(first.body));
            const { output } = first.body as { output: readonly Any[] };
            const answers = output.flatMap(({ type, call_id }) =>
              type === 'function_call' ? [{ type: 'function_call_output', call_id, output: 'High' }] : [],
            );
            const second = await stage.ask({ ...settings, input: [user, ...output, ...answers, user] });
            assert.equal(second.status, 200, JSON.stringify(second.body));
            const body = stage.provider.bodies.at(-1);
            assert.ok(body);
            assert.deepEqual(turn.replayed(body), turn.said(wholeOf(dialect.answer(script, false).body)));
          }),
          { numRuns: 12 },
        );
      });
    });
  }
});
