import assert from 'node:assert/strict';
import { checkContract } from '../../support/contract.ts';

interface Chunk {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string;
      readonly tool_calls?: readonly { readonly index: number; readonly id?: string }[];
      readonly reasoning?: string;
      readonly reasoning_details?: readonly { readonly index: number; readonly id?: string }[];
      readonly annotations?: readonly unknown[];
      readonly images?: readonly unknown[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
  readonly error?: unknown;
}

/** The body that the chunks of a stream add up to. Asserts the grammar of docs/spec/chat.md#stream. */
export function accumulateChat(stream: string): unknown {
  const lines = stream.split('\n\n').filter((block) => block.startsWith('data: '));
  assert.equal(lines.at(-1), 'data: [DONE]');
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Chunk);
  for (const chunk of chunks) checkContract('ChatStreamChunk', chunk);
  checkGrammar(chunks);
  const usage = chunks.find((chunk) => chunk.usage !== undefined)?.usage;
  const [choice] = addUp(chunks).choices;
  assert.ok(choice);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const reasoning = deltas.map(({ reasoning: piece = '' }) => piece).join('');
  const details = gatherDetails(deltas.flatMap(({ reasoning_details: some = [] }) => some));
  const annotations = deltas.flatMap(({ annotations: some = [] }) => some);
  const images = deltas.flatMap(({ images: some = [] }) => some);
  const message = {
    ...choice.message,
    ...(reasoning !== '' && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
  };
  return { ...chunks[0], choices: [{ ...choice, message }], usage };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
function addUp(chunks: readonly Chunk[]): any {
  let snapshot: unknown;
  for (const { error: _error, ...chunk } of chunks) snapshot = addChunk(snapshot, chunk);
  return snapshot;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
function addChunk(before: any, { choices, ...head }: Omit<Chunk, 'error'>): any {
  const snapshot = before ?? {
    ...head,
    choices: [{ index: 0, message: { content: null }, finish_reason: null }],
  };
  for (const { delta, finish_reason, ...others } of choices) {
    const [choice] = snapshot.choices;
    Object.assign(choice, others);
    if (finish_reason !== null) choice.finish_reason = finish_reason;
    const {
      content,
      refusal,
      role,
      tool_calls: calls = [],
    } = delta as {
      content?: string;
      refusal?: string;
      role?: string;
      tool_calls?: {
        index: number;
        id?: string;
        type?: string;
        function: { name?: string; arguments: string };
      }[];
    };
    const { message } = choice;
    if (role !== undefined) message.role = role;
    if (content !== undefined) message.content = (message.content ?? '') + content;
    if (refusal !== undefined) message.refusal = (message.refusal ?? '') + refusal;
    for (const { index, function: called, ...first } of calls) {
      message.tool_calls ??= [];
      const known = message.tool_calls[index];
      if (known === undefined) message.tool_calls[index] = { index, ...first, function: { ...called } };
      else known.function.arguments += called.arguments;
    }
  }
  return snapshot;
}

function checkGrammar(chunks: readonly Chunk[]): void {
  const [first] = chunks;
  assert.ok(first);
  for (const { id, created, model } of chunks) {
    assert.deepEqual([id, created, model], [first.id, first.created, first.model]);
  }
  const choices = chunks.flatMap((chunk) => chunk.choices);
  assert.equal(choices.filter(({ delta }) => delta.role !== undefined).length, 1, 'one role');
  assert.ok(chunks.filter(({ usage }) => usage !== undefined).length <= 1, 'usage once');
  assert.equal(choices.filter(({ finish_reason }) => finish_reason !== null).length, 1, 'one ending');
  assert.notEqual(choices.at(-1)?.finish_reason, null, 'nothing after the ending');
  let newest = -1;
  for (const { index, id } of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    if (id !== undefined) assert.equal(index, newest + 1, 'calls are numbered in their order');
    newest = id === undefined ? newest : index;
    assert.equal(index, newest, 'pieces of a call come together');
  }
  for (const { delta } of choices) {
    if (delta.reasoning !== undefined) assert.ok((delta.reasoning_details?.length ?? 0) > 0);
  }
}

function gatherDetails(pieces: readonly { readonly index: number }[]): readonly unknown[] {
  const whole = new Map<number, Record<string, unknown>>();
  for (const piece of pieces) {
    const known = whole.get(piece.index);
    if (known === undefined) {
      assert.equal(piece.index, whole.size, 'details are numbered in their order');
      whole.set(piece.index, { ...piece });
      continue;
    }
    for (const [name, value] of Object.entries(piece)) {
      if (name === 'text' || name === 'summary') known[name] = String(known[name] ?? '') + String(value);
      else if (name !== 'index' && name !== 'type') {
        assert.equal(known[name], undefined, `${name} comes once`);
        known[name] = value;
      }
    }
  }
  return [...whole.values()];
}
