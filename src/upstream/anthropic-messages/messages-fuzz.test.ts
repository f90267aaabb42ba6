import { test } from 'node:test';
import fc from 'fast-check';
import { readsCleanly, withJunk } from '../../../test/support/reads-cleanly.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const begin = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const stop = (index: number) => ({ type: 'content_block_stop', index });

/** One answer with everything in it. */
const events = [
  { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } },
  begin(0, { type: 'thinking', thinking: '', signature: '' }),
  piece(0, { type: 'thinking_delta', thinking: 'Hm 漢字' }),
  piece(0, { type: 'signature_delta', signature: 'S' }),
  stop(0),
  begin(1, { type: 'redacted_thinking', data: 'D' }),
  stop(1),
  begin(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
  piece(2, { type: 'input_json_delta', partial_json: '{"query":"tide"}' }),
  stop(2),
  begin(3, {
    type: 'web_search_tool_result',
    tool_use_id: 's',
    content: [{ type: 'web_search_result', url: 'https://a.test' }],
  }),
  stop(3),
  begin(4, { type: 'server_tool_use', id: 'c', name: 'bash_code_execution', input: { command: 'ls' } }),
  stop(4),
  begin(5, { type: 'bash_code_execution_tool_result', tool_use_id: 'c', content: { stdout: 'a' } }),
  stop(5),
  begin(6, { type: 'mcp_tool_use', id: 'q', name: 'f', server_name: 'h', input: {} }),
  piece(6, { type: 'input_json_delta', partial_json: '{"a":1}' }),
  stop(6),
  begin(7, { type: 'mcp_tool_result', tool_use_id: 'q', is_error: false, content: 'ok' }),
  stop(7),
  begin(8, { type: 'text', text: '' }),
  piece(8, { type: 'text_delta', text: 'Noon 👩‍🚀' }),
  piece(8, { type: 'citations_delta', citation: { type: 'page_location', document_title: 'T' } }),
  stop(8),
  begin(9, { type: 'tool_use', id: 't', name: 'f', input: {} }),
  piece(9, { type: 'input_json_delta', partial_json: '{"a":' }),
  piece(9, { type: 'input_json_delta', partial_json: '1}' }),
  stop(9),
  { type: 'something_new', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', container: { id: 'k' } },
    usage: { output_tokens: 9 },
  },
  { type: 'message_stop' },
].map((data) => Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));

const read = (chunks: readonly Buffer[]) => readsCleanly(adapter, chunks);

test('whole, it is a legal stream', () => read(events));

test('events repeated, left out or in another order are a legal stream or a clean error', () => {
  const chosen = fc.array(fc.nat(events.length - 1), { maxLength: 60 });
  fc.assert(
    fc.property(chosen, (order) => read(order.flatMap((index) => events[index] ?? []))),
    { numRuns: 400 },
  );
  fc.assert(fc.property(fc.shuffledSubarray(events, { minLength: events.length }), read), {
    numRuns: 200,
  });
});

test('bytes spoilt or cut off are a legal stream or a clean error', () => {
  const whole = Buffer.concat(events);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, end) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      read([bytes.subarray(0, end)]);
    }),
    { numRuns: 400 },
  );
});

test('members of any type are a legal stream or a clean error', () => {
  const junk = fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.string(),
    fc.constant([]),
    fc.constant({}),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.nat(events.length - 1), fc.nat(40), junk, (index, place, value) => {
      const spoilt = events.map((event, position) => {
        if (position !== index) return event;
        const data = JSON.parse(event.toString().split('data: ')[1] ?? '{}');
        return Buffer.from(`data: ${JSON.stringify(withJunk(data, place, value))}\n\n`);
      });
      read(spoilt);
    }),
    { numRuns: 600 },
  );
});
