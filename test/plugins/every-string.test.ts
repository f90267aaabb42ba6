import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';

const secret = 'EMP-123456';
const b64 = (text: string) => Buffer.from(text).toString('base64');
const png = Buffer.from('89504e470d0a1a0a00000000', 'hex').toString('base64');
const u = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
const base = {
  metadata: { a: 'b' },
  user: 'u',
  safety_identifier: 's',
  session_id: 'x',
  prompt_cache_key: 'k',
  trace: { trace_id: 't' },
};

/** Bodies with as much in them as a door takes, and the provider of the same format. */
const doors: readonly (readonly [path: string, provider: string, body: object])[] = [
  [
    'responses',
    'resp',
    {
      ...base,
      instructions: 'Be brief',
      input: [
        u,
        { type: 'message', role: 'developer', content: 'x' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 's' }],
          content: [{ type: 'reasoning_text', text: 'c' }],
          encrypted_content: 'QUJDRA==',
          signature: 'QUJDRA==',
          format: 'openai-responses-v1',
          weird: { a: 'b' },
        },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          status: 'completed',
          phase: 'final_answer',
          weird: 'x',
          content: [
            {
              type: 'output_text',
              text: 'Yes',
              annotations: [
                {
                  type: 'url_citation',
                  url: 'https://a.example',
                  title: 't',
                  start_index: 0,
                  end_index: 1,
                  content: 'c',
                  citation: { a: 'b' },
                },
                { type: 'file_citation', file_id: 'f', filename: 'n', index: 0 },
                { type: 'file_path', file_id: 'f', index: 0 },
                {
                  type: 'file',
                  file: { hash: 'a'.repeat(64), name: 'n', content: [{ type: 'text', text: 'q' }] },
                },
              ],
              logprobs: [
                {
                  token: 'a',
                  logprob: 0,
                  bytes: [97],
                  top_logprobs: [{ token: 'b', logprob: 0, bytes: [98] }],
                },
              ],
            },
            { type: 'refusal', refusal: 'no' },
          ],
        },
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'c1',
          name: 'send',
          namespace: 'ns',
          arguments: '{"a":"b"}',
          status: 'completed',
          weird: 'x',
        },
        {
          type: 'function_call_output',
          id: 'fco_1',
          call_id: 'c1',
          output: [
            { type: 'input_text', text: 'a' },
            { type: 'input_image', image_url: `data:image/png;base64,${png}` },
          ],
          status: 'completed',
        },
        { type: 'custom_tool_call', call_id: 'c2', name: 'sql', input: 'select' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'o' },
        {
          type: 'web_search_call',
          id: 'ws_1',
          status: 'completed',
          action: {
            type: 'search',
            query: 'q',
            queries: ['q'],
            sources: [{ type: 'url', url: 'https://a.example' }],
          },
        },
        {
          type: 'web_search_call',
          id: 'ws_2',
          status: 'completed',
          action: { type: 'find_in_page', pattern: 'p', url: 'https://a.example' },
        },
        {
          type: 'file_search_call',
          id: 'fs_1',
          status: 'completed',
          queries: ['q'],
          results: [{ file_id: 'f', filename: 'n', text: 't', attributes: { a: 'b' } }],
        },
        { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png },
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          status: 'completed',
          code: 'print',
          container_id: 'cntr',
          outputs: [
            { type: 'logs', logs: 'l' },
            { type: 'image', url: 'https://a.example/a.png' },
          ],
        },
        {
          type: 'computer_call',
          id: 'cc_1',
          call_id: 'c3',
          status: 'completed',
          action: { type: 'type', text: 'x' },
          pending_safety_checks: [{ id: 's', code: 'c', message: 'm' }],
        },
        {
          type: 'computer_call_output',
          id: 'cco_1',
          call_id: 'c3',
          output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${png}` },
        },
        {
          type: 'local_shell_call',
          id: 'ls_1',
          call_id: 'c4',
          status: 'completed',
          action: { type: 'exec', command: ['ls'], env: { A: 'b' }, user: 'u', working_directory: 'w' },
        },
        { type: 'local_shell_call_output', id: 'c4', output: 'o' },
        { type: 'shell_call', id: 'sh_1', call_id: 'c5', status: 'completed', action: { commands: ['ls'] } },
        {
          type: 'shell_call_output',
          id: 'sho_1',
          call_id: 'c5',
          output: [{ stdout: 'o', stderr: 'e', outcome: { type: 'exit', exit_code: 0 } }],
        },
        {
          type: 'apply_patch_call',
          id: 'ap_1',
          call_id: 'c6',
          status: 'completed',
          operation: { type: 'update_file', path: 'p', diff: 'd' },
        },
        { type: 'apply_patch_call_output', call_id: 'c6', status: 'completed', output: 'o' },
        {
          type: 'mcp_list_tools',
          id: 'ml_1',
          server_label: 'l',
          tools: [
            {
              name: 'n',
              description: 'd',
              input_schema: { type: 'object', properties: { a: { type: 'string' } } },
              annotations: { a: 'b' },
            },
          ],
          error: 'e',
        },
        { type: 'mcp_approval_request', id: 'mar_1', server_label: 'l', name: 'n', arguments: '{}' },
        {
          type: 'mcp_approval_response',
          id: 'mas_1',
          approval_request_id: 'mar_1',
          approve: true,
          reason: 'r',
        },
        {
          type: 'mcp_call',
          id: 'mc_1',
          server_label: 'l',
          name: 'n',
          arguments: '{}',
          output: 'o',
          error: 'e',
        },
        { type: 'service:datetime', id: 'd1', status: 'completed', datetime: 'now', timezone: 'z' },
        {
          type: 'agent_message',
          id: 'am',
          author: 'a',
          recipient: 'b',
          content: [{ type: 'input_text', text: 'x' }],
        },
        {
          type: 'additional_tools',
          role: 'developer',
          tools: [{ type: 'function', name: 'later', description: 'd', parameters: { type: 'object' } }],
        },
        u,
      ],
      tools: [
        {
          type: 'function',
          name: 'send',
          description: 'd',
          parameters: { type: 'object', properties: { a: { type: 'string', enum: ['e'], default: 'x' } } },
          strict: false,
        },
        {
          type: 'custom',
          name: 'sql',
          description: 'd',
          format: { type: 'grammar', syntax: 'regex', definition: 'a+' },
        },
        {
          type: 'namespace',
          name: 'ns',
          description: 'nd',
          tools: [
            {
              type: 'function',
              name: 'send',
              description: 'd',
              parameters: { type: 'object' },
              output_schema: { type: 'object', description: 'os' },
            },
          ],
        },
      ],
      text: {
        verbosity: 'low',
        format: {
          type: 'json_schema',
          name: 'n',
          description: 'd',
          schema: { type: 'object', properties: { a: { type: 'string' } } },
        },
      },
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'send' }] },
    },
  ],
  [
    'chat/completions',
    'north',
    {
      ...base,
      include: undefined,
      stop: ['x'],
      logit_bias: { 5: 1 },
      prediction: { type: 'content', content: [{ type: 'text', text: 'p' }] },
      messages: [
        { role: 'system', name: 'n', content: [{ type: 'text', text: 's' }] },
        {
          role: 'user',
          name: 'n',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } },
            { type: 'file', file: { filename: 'a.txt', file_data: b64('hello there') } },
          ],
        },
        {
          role: 'assistant',
          name: 'n',
          refusal: 'r',
          content: 'x',
          reasoning: 'think',
          reasoning_content: 'rc',
          reasoning_details: [
            { type: 'reasoning.text', text: 't', signature: 'sig', id: 'i', format: 'f', index: 0 },
            { type: 'reasoning.summary', summary: 'su' },
            { type: 'reasoning.encrypted', data: 'ZGF0' },
          ],
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                url: 'https://a.example',
                title: 't',
                content: 'c',
                start_index: 0,
                end_index: 1,
              },
            },
          ],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'send', arguments: '{"a":"b"}' } }],
        },
        { role: 'tool', name: 'n', tool_call_id: 'c1', content: [{ type: 'text', text: 'o' }] },
        { role: 'user', content: 'go' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'send', description: 'd', parameters: { type: 'object' }, strict: false },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'send' } },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', description: 'd', schema: { type: 'object' } },
      },
      image_config: { a: 'b' },
      web_search_options: undefined,
    },
  ],
  [
    'messages',
    'claude',
    {
      model: 'acme/atlas-4',
      max_tokens: 5,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      metadata: { user_id: 'u' },
      stop_sequences: ['x'],
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      container: 'cont',
      weird: { a: ['b'] },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', citations: null },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } },
            { type: 'image', source: { type: 'file', file_id: 'f' } },
            {
              type: 'document',
              title: 't',
              context: 'c',
              citations: { enabled: true },
              source: { type: 'base64', media_type: 'application/pdf', data: b64('%PDF-1.4') },
            },
            {
              type: 'document',
              title: 't',
              context: 'c',
              source: { type: 'text', media_type: 'text/plain', data: 'words here' },
            },
            {
              type: 'document',
              title: 't',
              source: { type: 'content', content: [{ type: 'text', text: 'cc' }] },
            },
            {
              type: 'search_result',
              title: 't',
              source: 'https://a.example',
              content: [{ type: 'text', text: 'x' }],
              citations: { enabled: true },
            },
            { type: 'container_upload', file_id: 'f' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'th', signature: 'QUJDREVGR0hJSktMTU5PUA==' },
            { type: 'redacted_thinking', data: 'QUJDREVGR0hJSktMTU5PUA==' },
            {
              type: 'text',
              text: 'x',
              citations: [
                {
                  type: 'web_search_result_location',
                  url: 'https://a.example',
                  title: 't',
                  cited_text: 'c',
                  encrypted_index: 'QUJDREVGR0hJSktMTU5PUA==',
                },
              ],
            },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                {
                  type: 'web_search_result',
                  url: 'https://a.example',
                  title: 't',
                  page_age: 'p',
                  encrypted_content: 'QUJDREVGR0hJSktMTU5PUA==',
                },
              ],
            },
            { type: 'server_tool_use', id: 'srvtoolu_2', name: 'code_execution', input: { code: 'c' } },
            {
              type: 'code_execution_tool_result',
              tool_use_id: 'srvtoolu_2',
              content: {
                type: 'code_execution_result',
                stdout: 'o',
                stderr: 'e',
                return_code: 0,
                content: [],
              },
            },
            { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'n', server_name: 's', input: { a: 'b' } },
            {
              type: 'mcp_tool_result',
              tool_use_id: 'mcptoolu_1',
              is_error: false,
              content: [{ type: 'text', text: 't' }],
            },
            { type: 'tool_use', id: 'toolu_1', name: 'send', input: { a: 'b' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'o' },
                { type: 'tool_reference', tool_name: 'send' },
              ],
            },
          ],
        },
      ],
      tools: [
        {
          name: 'send',
          description: 'd',
          input_schema: { type: 'object', properties: { a: { type: 'string' } } },
          input_examples: [{ a: 'b' }],
          cache_control: { type: 'ephemeral' },
          weird: 'w',
        },
        { type: 'bash_20250124', name: 'bash' },
        {
          type: 'web_search_20250305',
          name: 'web_search',
          allowed_domains: ['a.example'],
          user_location: { type: 'approximate', city: 'c' },
        },
      ],
      tool_choice: { type: 'tool', name: 'send' },
      output_config: {
        format: { type: 'json_schema', schema: { type: 'object', description: 'd' } },
        task_budget: { type: 'tokens', total: 9, w: 'x' },
      },
    },
  ],
  [
    'embeddings',
    'north',
    {
      model: 'acme/vectors',
      input: ['a', { content: [{ type: 'text', text: 'x' }] }],
      input_type: 'q',
      user: 'u',
      session_id: 's',
    },
  ],
];

/** The body with the secret once: in place of each string, and as the name of one more member in each object. */
function* withSecret(value: unknown, at = ''): Generator<readonly [place: string, body: unknown]> {
  if (typeof value === 'string') yield [at, secret];
  else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      for (const [place, inner] of withSecret(one, `${at}[${index}]`))
        yield [place, value.with(index, inner)];
    }
  } else if (typeof value === 'object' && value !== null) {
    yield [`${at}.<name>`, { ...value, [secret]: 'x' }];
    for (const [name, one] of Object.entries(value)) {
      for (const [place, inner] of withSecret(one, `${at}.${name}`))
        yield [place, { ...value, [name]: inner }];
    }
  }
}

describe('a value leaves in no string and no member name of a request', { concurrency: 1 }, () => {
  let world: GuardedGateway;
  const keys: Record<string, string> = {};
  before(async () => {
    world = await startGuarded({
      models: (north) => [
        {
          ...modelOf('acme/atlas-4', [
            north,
            providerOf({ slug: 'claude', adapter: 'anthropic-messages', baseUrl: north.baseUrl }),
            providerOf({ slug: 'resp', adapter: 'openai-responses', baseUrl: north.baseUrl }),
          ]),
          inputModalities: ['text', 'image', 'file'],
        },
        { ...modelOf('acme/vectors', [north]), outputModalities: ['embeddings'] },
      ],
    });
    for (const action of ['block', 'redact']) {
      const key = await world.gateway.createKey();
      await world.guard({ content_filters: [{ pattern: 'EMP-\\d{6}', action }] }, { keys: [hashKey(key)] });
      keys[action] = key;
    }
  });
  after(() => world.stop());

  for (const [path, only, body] of doors) {
    test(path, async () => {
      const statuses = new Map<number, number>();
      for (const [place, filled] of withSecret(body)) {
        if (place === '.model') continue;
        for (const action of ['block', 'redact']) {
          const before = world.upstream.requests.length;
          const asked = { ...(filled as object), provider: { only: [only] } };
          const { status } = await world.ask(asked, keys[action], path);
          const sent = JSON.stringify(world.upstream.requests.slice(before));
          assert.ok(!sent.includes(secret), `${place} left with ${action}: ${status}`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }
      // Most are places that may hold any words: they block.
      assert.ok((statuses.get(403) ?? 0) > 0, JSON.stringify([...statuses]));
      assert.equal(statuses.get(500), undefined);
    });
  }
});
