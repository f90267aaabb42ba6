/** A request to begin with: what it is changed from. */
export interface Seed {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  /** Which key it needs. */
  readonly needs: 'inference' | 'management';
  readonly body: object;
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const picture = 'data:image/png;base64,iVBORw0KGgo=';
const model = 'sandbox/echo';

const responses = {
  model,
  models: ['sandbox/lorem'],
  instructions: 'Be brief.',
  input: [
    { role: 'system', content: 'You are a pilot.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: picture },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm' }],
      encrypted_content: 'abc',
    },
    { type: 'function_call', call_id: 'c1', name: 'tide', arguments: '{"city":"Brest"}' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: '5 m' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Five', annotations: [] }] },
    { role: 'user', content: 'And now?' },
  ],
  tools: [
    { type: 'function', name: 'tide', description: 'd', parameters, strict: true },
    { type: 'custom', name: 'shell', format: { type: 'text' } },
    { type: 'web_search', filters: { allowed_domains: ['a.example'] } },
    { type: 'service:datetime', parameters: { timezone: 'UTC' } },
  ],
  tool_choice: 'auto',
  reasoning: { effort: 'low', summary: 'auto' },
  text: { format: { type: 'json_schema', name: 'n', schema: parameters }, verbosity: 'low' },
  provider: { order: ['sandbox'], sort: 'price', max_price: { prompt: 1 }, zdr: false },
  plugins: [{ id: 'response-healing' }, { id: 'context-compression' }],
  metadata: { a: 'b' },
  max_output_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
  truncation: 'auto',
  stop_server_tools_when: [{ type: 'max_cost', max_cost_in_dollars: 1 }],
  session_id: 's',
  user: 'u',
};

const chat = {
  model,
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: picture } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '5 m' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', function: { name: 'tide', parameters } }],
  tool_choice: { type: 'function', function: { name: 'tide' } },
  response_format: { type: 'json_object' },
  stream_options: { include_usage: true },
  stop: ['END'],
  logit_bias: { 50256: -100 },
  max_completion_tokens: 20,
  reasoning_effort: 'low',
  n: 1,
  seed: 7,
};

const messages = {
  model,
  max_tokens: 2048,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'abc' },
        { type: 'tool_use', id: 'c1', name: 'tide', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '5 m' }], is_error: false },
      ],
    },
  ],
  tools: [{ name: 'tide', description: 'd', input_schema: parameters }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  stop_sequences: ['END'],
  metadata: { user_id: 'u' },
};

const inference = (path: string, body: object): Seed => ({ method: 'POST', path, needs: 'inference', body });
const management = (method: Seed['method'], path: string, body: object): Seed => ({
  method,
  path,
  needs: 'management',
  body,
});

export const seeds: readonly Seed[] = [
  inference('/responses', responses),
  inference('/responses', { ...responses, stream: true }),
  inference('/responses/plan', responses),
  inference('/responses/compact', { model, input: responses.input, instructions: 'x' }),
  inference('/chat/completions', chat),
  inference('/chat/completions', { ...chat, stream: true }),
  inference('/messages', messages),
  inference('/messages', { ...messages, stream: true }),
  inference('/messages/count_tokens', messages),
  inference('/embeddings', {
    model: 'sandbox/embed',
    input: ['a', 'b'],
    dimensions: 8,
    encoding_format: 'base64',
  }),
  management('POST', '/keys', {
    name: 'k',
    limit: 5,
    limit_reset: 'daily',
    expires_at: '2030-01-01T00:00:00Z',
    include_byok_in_limit: true,
    allowed_ips: ['10.0.0.0/8'],
    allowed_models: ['sandbox/*'],
  }),
  management('PATCH', '/keys/nobody', { name: 'k', disabled: true, limit: null }),
  management('POST', '/workspaces', { name: 'w', slug: 'w-1', default_text_model: model }),
  management('PATCH', '/workspaces/nobody', { name: 'w' }),
  management('POST', '/byok', {
    provider: 'openai',
    key: 'sk-1',
    name: 'n',
    is_fallback: true,
    allowed_models: ['a/*'],
  }),
];
