import { describeFuzz } from '../../../test/support/describe-fuzz.ts';
import { withJunk } from '../../../test/support/reads-cleanly.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

interface MessageEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const begin = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const stop = (index: number) => ({ type: 'content_block_stop', index });

/** One answer with everything in it. */
const events: readonly MessageEvent[] = [
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
];

const bytesOf = (chosen: readonly MessageEvent[]) =>
  Buffer.from(chosen.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join(''));

describeFuzz<MessageEvent>({ adapter, events, bytesOf, spoil: withJunk });
