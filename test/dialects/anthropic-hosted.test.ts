import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../src/util/json.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { modes } from './behaviours/behaviour.ts';
import type { WireAnswer } from './dialect-script.ts';
import { type Stage, setStage } from './support/stage.ts';

let stage: Stage & { readonly strike: () => Promise<void> };
before(async () => {
  stage = await setStage(anthropicMessages);
});
after(() => stage.strike());

const caller = { type: 'direct' };
const blocks: readonly JsonObject[] = [
  { type: 'thinking', thinking: 'I must look.', signature: 'U0lH' },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tide Brest' }, caller },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      {
        type: 'web_search_result',
        url: 'https://a.test',
        title: 'A',
        encrypted_content: 'RU5D',
        page_age: null,
      },
    ],
    caller,
  },
  { type: 'server_tool_use', id: 'srvtoolu_2', name: 'bash_code_execution', input: { command: 'date' } },
  {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'bash_code_execution_result', stdout: 'noon', stderr: '', return_code: 0, content: [] },
  },
  { type: 'text', text: 'High at noon.' },
];

function answer(streamed: boolean): WireAnswer {
  const container = { id: 'container_1', expires_at: '2027-01-01T00:00:00Z' };
  const usage = {
    input_tokens: 9,
    output_tokens: 5,
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
  };
  if (!streamed) {
    const body = { id: 'm', type: 'message', content: blocks, stop_reason: 'end_turn', container, usage };
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: [Buffer.from(JSON.stringify(body))],
    };
  }
  const events = [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn', container }, usage },
    { type: 'message_stop' },
  ];
  const body = events.map((event) => Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
}

const tools = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }];

for (const mode of modes) {
  test(`what the provider ran is shown in public items and goes back unchanged, stream ${mode.stream}`, async () => {
    stage.deliver(({ streamed }) => answer(streamed));
    const include = ['code_interpreter_call.outputs'];
    const first = await stage.ask({ ...mode, tools, include, reasoning: { effort: 'low' } });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const { output } = first.body as { output: readonly JsonObject[] };
    assert.deepEqual(
      output.map(({ type, status }) => [type, status]),
      [
        ['reasoning', 'completed'],
        ['web_search_call', 'completed'],
        ['code_interpreter_call', 'completed'],
        ['message', 'completed'],
      ],
    );
    assert.equal(output[2]?.container_id, 'container_1');
    const second = await stage.ask({
      tools,
      reasoning: { effort: 'low' },
      input: [{ role: 'user', content: 'Hello' }, ...output, { role: 'user', content: 'Thanks' }],
    });
    assert.equal(second.status, 200, JSON.stringify(second.body));
    const messages = stage.provider.bodies.at(-1)?.messages as { content: readonly JsonObject[] }[];
    assert.deepEqual(messages[1]?.content, blocks);
  });
}
