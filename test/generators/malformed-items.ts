import { hostedItemFaults } from './malformed-hosted-items.ts';
import { nested, parsed } from './malformed-values.ts';

/** A bad entry of `input`, or a bad part; the message must begin with its place and `path`. */
export interface ItemFault {
  readonly path: string;
  readonly item: unknown;
}

const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const deep = nested(800);

function user(path: string, ...content: unknown[]): ItemFault {
  return { path, item: { role: 'user', content } };
}

function assistant(path: string, ...content: unknown[]): ItemFault {
  return { path, item: { role: 'assistant', content } };
}

/** One bad item each (docs/spec/items.md#kinds, docs/spec/requests.md#content-parts). */
export const itemFaults: readonly ItemFault[] = [
  ...[null, 5, 'text', true, [], deep].map((item) => ({ path: '', item })),
  ...[{}, { type: null }, { content: 'x' }, { id: 'a', content: 'x' }].map((item) => ({
    path: '.type',
    item,
  })),
  ...hostedItemFaults,
  ...['bogus', '__proto__', 'constructor', 'service:hammer', 'x'.repeat(99_999)].map((type) => ({
    path: '.type',
    item: { type },
  })),
  { path: '.type', item: { type: deep } },
  { path: '.type', item: parsed('{"__proto__":{"role":"user","content":"x"}}') },
  ...['tool', 'function', '', 'toString', 5, {}].map((role) => ({
    path: '.role',
    item: { role, content: 'x' },
  })),
  { path: '.role', item: { type: 'message', content: 'x' } },
  ...[5, true, {}, { type: 'input_text', text: 'x' }].map((content) => ({
    path: '.content',
    item: { role: 'user', content },
  })),
  { path: '.phase', item: { role: 'assistant', content: 'x', phase: 'first' } },
  { path: '.id', item: { role: 'user', content: 'x', id: 5 } },
  user('.content[0]', 'text'),
  user('.content[0]', deep),
  user('.content[0].type', {}),
  user('.content[0].type', { type: 'text', text: 'x' }),
  user('.content[0].type', { type: 'output_text', text: 'x' }),
  user('.content[0].type', { type: 'hasOwnProperty' }),
  user('.content[1].text', { type: 'input_text', text: 'x' }, { type: 'input_text' }),
  user('.content[0].text', { type: 'input_text', text: null }),
  user('.content[0].cache_control.ttl', {
    type: 'input_text',
    text: 'x',
    cache_control: { type: 'ephemeral', ttl: '1d' },
  }),
  user('.content[0].prompt_cache_breakpoint', {
    type: 'input_text',
    text: 'x',
    prompt_cache_breakpoint: true,
  }),
  user('.content[0]', { type: 'input_image' }),
  user('.content[0]', { type: 'input_image', image_url: 'https://127.0.0.1/', file_id: 'f' }),
  user('.content[0].image_url', { type: 'input_image', image_url: { url: 'https://127.0.0.1/' } }),
  user('.content[0].image_url', { type: 'input_image', image_url: 'file:///etc/passwd' }),
  user('.content[0].detail', { type: 'input_image', file_id: 'f', detail: 'ultra' }),
  user('.content[0]', { type: 'input_file', filename: 'x' }),
  user('.content[0].file_url', { type: 'input_file', file_url: 'ftp://127.0.0.1/' }),
  user('.content[0].input_audio', { type: 'input_audio' }),
  user('.content[0].input_audio.format', { type: 'input_audio', input_audio: { data: 'A', format: 'ogg' } }),
  user('.content[0].input_audio.data', {
    type: 'input_audio',
    input_audio: { data: 'https://127.0.0.1/', format: 'wav' },
  }),
  user('.content[0].video_url', { type: 'input_video', video_url: '' }),
  assistant('.content[0].refusal', { type: 'refusal' }),
  assistant('.content[0].annotations', { type: 'output_text', text: 'x', annotations: {} }),
  assistant('.content[0].annotations[0].url', {
    type: 'output_text',
    text: 'x',
    annotations: [{ type: 'url_citation' }],
  }),
  { path: '.summary', item: { type: 'reasoning' } },
  { path: '.summary', item: { type: 'reasoning', summary: 'x' } },
  { path: '.summary[0].type', item: { type: 'reasoning', summary: [{ type: 'text', text: 'x' }] } },
  { path: '.format', item: { type: 'reasoning', summary: [], format: 'acme-v1' } },
  { path: '.call_id', item: { type: 'function_call', name: 'f', arguments: '{}' } },
  { path: '.call_id', item: { ...call, call_id: '' } },
  { path: '.arguments', item: { ...call, arguments: {} } },
  { path: '.input', item: { type: 'custom_tool_call', call_id: 'c', name: 'f' } },
  { path: '.output', item: { type: 'function_call_output', call_id: 'c' } },
  { path: '.output', item: { type: 'function_call_output', call_id: 'c', output: { ok: true } } },
  {
    path: '.output[0].type',
    item: { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_audio' }] },
  },
  { path: '.call_id', item: { type: 'function_call_output', call_id: 'nowhere', output: 'x' } },
  { path: '.call_id', item: { type: 'custom_tool_call_output', call_id: '__proto__', output: 'x' } },
  { path: '.id', item: { type: 'item_reference' } },
  { path: '.id', item: { id: 'msg_nowhere' } },
  { path: '.id', item: { type: 'item_reference', id: 'constructor' } },
];
