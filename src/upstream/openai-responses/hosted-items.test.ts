import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from 'openai/resources/responses/responses';
import { listen } from '../../../test/fake-upstream/collect.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { hostedItems, textItems } from '../../../test/fake-upstream/responses-items.ts';
import { responsesBody, responsesEvents, toStream } from '../../../test/fake-upstream/responses-stream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, decodeWhole, mergeDeltas, sentBody } from '../../../test/support/adapter-harness.ts';
import { assemble, settings } from '../../../test/support/assemble.ts';
import { readsCleanly } from '../../../test/support/reads-cleanly.ts';
import { parse } from '../../../test/support/request-parsing.ts';
import type { Delta } from '../../core/delta.ts';
import type { OutputItem } from '../../dialects/gateway/assembly/response.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

const transport = createTransport();
after(() => transport.destroy());
const output = [...textItems, ...hostedItems];
const stream = toStream(responsesEvents({ output })).join('');

/** The content of an answer, without the reported progress of its tools. */
function told(deltas: readonly Delta[]): Delta[] {
  return mergeDeltas(deltas.filter(({ kind }) => kind !== 'stage' && kind !== 'partial_image'));
}

test('a whole body and a stream say the same of every kind of item', () => {
  const whole = decodeWhole(adapter, responsesBody({ output }));
  const pieces = decodeStream(adapter, stream);
  assert.deepEqual(told(pieces), told(whole));
  const stages = pieces.flatMap((delta) => (delta.kind === 'stage' ? [delta.stage] : []));
  assert.deepEqual(stages, ['searching', 'searching', 'searching', 'interpreting', 'generating']);
  assert.equal(pieces.filter(({ kind }) => kind === 'partial_image').length, 1);
  assert.deepEqual(
    pieces.find(({ kind }) => kind === 'usage'),
    {
      kind: 'usage',
      usage: { uncachedInput: 15, cacheRead: 100, cacheWrite: 5, output: 60, reasoning: 40, webSearches: 1 },
    },
  );
});

test('an item that ends as another kind than it was announced takes nothing over from it', () => {
  const two = output.filter(({ type }) => type === 'mcp_list_tools' || type === 'mcp_call');
  const events = responsesEvents({ output: two }).map((event) => {
    const item = event.item as { readonly type?: string } | undefined;
    const isFirst = event.type === 'response.output_item.added' && item?.type === 'mcp_list_tools';
    return isFirst ? { ...event, output_index: 1 } : event;
  });
  const bytes = Buffer.from(toStream(events).join(''));
  readsCleanly(adapter, [bytes]);
  const taken = decodeStream(adapter, bytes).flatMap((delta) =>
    delta.kind === 'result' ? [delta.fields] : [],
  );
  assert.deepEqual(taken.slice(1), [{}]);
});

test('split at every byte, an answer gives the same deltas', () => {
  const kinds = ['message', 'code_interpreter_call', 'mcp_call'];
  const some = output.filter(({ type }) => kinds.includes(type));
  const bytes = Buffer.from(toStream(responsesEvents({ output: some })).join(''));
  const expected = decodeStream(adapter, bytes);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    assert.deepEqual(decodeStream(adapter, bytes, {}, [cut, bytes.length - cut]), expected, `cut at ${cut}`);
  }
  for (const sizes of [[1], [7, 2, 64]]) {
    assert.deepEqual(decodeStream(adapter, stream, {}, sizes), decodeStream(adapter, stream));
  }
});

test('over a socket, every item arrives and makes a grammatical answer', async () => {
  await using fake = await startFakeUpstream({ steps: toStream(responsesEvents({ output })) });
  const call = createCall({ provider: { baseUrl: `${fake.url}/v1` } });
  const { deltas, thrown } = await listen(createHttpUpstream(adapter, transport), call);
  assert.equal(thrown, undefined);
  assert.deepEqual(
    assemble(deltas).output.map(withoutId),
    assemble(decodeStream(adapter, stream)).output.map(withoutId),
  );
});

function withoutId({ id: _, ...item }: OutputItem): object {
  return item;
}

const always = {
  ...settings,
  include: new Set(['file_search_call.results', 'code_interpreter_call.outputs']),
};

/** What a provider is sent back of an output item: without ids and statuses where the dialect does without. */
function expectedInput(item: Wire.ResponseOutputItem): object {
  const { id, ...rest } = item;
  switch (item.type) {
    case 'message':
      return { ...without(rest, 'status'), content: item.content.map((part) => without(part, 'logprobs')) };
    case 'function_call':
    case 'custom_tool_call':
      return without(rest, 'status');
    case 'reasoning':
    case 'apply_patch_call':
    case 'shell_call':
      return rest;
    case 'shell_call_output':
      return without(rest, 'max_output_length');
    default:
      return { ...rest, id };
  }
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

for (const [how, deltas] of [
  ['streamed', decodeStream(adapter, stream)],
  ['unstreamed', decodeWhole(adapter, responsesBody({ output }))],
] as const) {
  test(`every output item, ${how}, is accepted as input and reaches the provider unchanged`, () => {
    const shown: readonly OutputItem[] = JSON.parse(JSON.stringify(assemble(deltas, always).output));
    const answers = shown.flatMap((item) => answerTo(item));
    const { canonical } = parse({ input: [...shown, ...answers], tools: [] });
    const provider = {
      quirks: { hostedTools: ['web_search', 'mcp', 'shell', 'local_shell', 'apply_patch'] },
    };
    const { input } = sentBody(adapter, { request: { items: canonical.items }, provider });
    assert.ok(Array.isArray(input));
    assert.deepEqual(input.slice(0, output.length), output.map(expectedInput));
  });
}

/** What a client has to say to a call before the conversation can go on. */
function answerTo(item: OutputItem): object[] {
  if (item.type === 'function_call') {
    return [{ type: 'function_call_output', call_id: item.call_id, output: 'ok' }];
  }
  if (item.type === 'custom_tool_call') {
    return [{ type: 'custom_tool_call_output', call_id: item.call_id, output: 'ok' }];
  }
  return [];
}
