import fc from 'fast-check';
import { toolFaults } from './malformed-tools.ts';
import {
  any,
  longerThan,
  notChoice,
  notFlag,
  notInteger,
  notList,
  notNumber,
  notObject,
  notText,
  outside,
  unknownMember,
} from './malformed-values.ts';

/** Bad values for the member at `path`; the message must begin with that path. */
export interface FieldFault {
  readonly path: string;
  readonly value: fc.Arbitrary<unknown>;
}

function wrong(path: string, ...values: fc.Arbitrary<unknown>[]): FieldFault {
  return { path, value: fc.oneof(...values) };
}

function inside(path: string, member: string, ...values: fc.Arbitrary<unknown>[]): FieldFault {
  return { path: `${path}.${member}`, value: fc.oneof(...values).map((value) => ({ [member]: value })) };
}

const manyPairs = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v']));
const metadata = any(
  { 'a[0]': 'x' },
  { 'a]': 'x' },
  { ['k'.repeat(65)]: 'x' },
  { k: 'v'.repeat(513) },
  { k: 1 },
);
const someTool = { type: 'function', name: 'f' };
const cutoffs = any(-1, 'fast', true, [], { p50: -1 }, { p50: 'x' }, { p51: 1 });

/**
 * One bad top-level member each (docs/spec/requests.md#fields, docs/spec/routing.md#preferences,
 * docs/spec/requests.md#plugins).
 */
export const fieldFaults: readonly FieldFault[] = [
  wrong('model', notText, any('')),
  wrong('models', notList, any([5], [''], [null], Array(101).fill('a/b'), Array(50_000).fill('a/b'))),
  wrong('models[1]', any(['a/b', '@preset/x'], ['a/b', 'a/c@preset/x'])),
  wrong('instructions', notText),
  wrong('stream', notFlag),
  wrong('store', notFlag, any(true)),
  wrong('previous_response_id', any('resp_1', '', 0, false, {}, [])),
  wrong('conversation', any('conv_1', '', 0, {}, { id: 'x' })),
  wrong('prompt', any('p', {}, [], { id: '' }, { id: 5 }, { id: 'p', variables: [] })),
  wrong('prompt.variables.a', any({ id: 'p', variables: { a: 5 } }, { id: 'p', variables: { a: null } })),
  wrong('prompt.variables.a', any({ id: 'p', variables: { a: { type: 'input_audio' } } })),
  wrong('prompt.variables.a', any({ id: 'p', variables: { a: { type: 'input_image' } } })),
  wrong('background', notFlag),
  wrong('temperature', notNumber, outside(0, 2)),
  wrong('top_p', notNumber, outside(0, 1)),
  wrong('top_k', notInteger, any(-1)),
  wrong('frequency_penalty', notNumber, outside(-2, 2)),
  wrong('presence_penalty', notNumber, outside(-2, 2)),
  wrong('top_logprobs', notInteger, any(-1, 21)),
  wrong('min_p', notNumber),
  wrong('top_a', notNumber),
  wrong('repetition_penalty', notNumber),
  wrong('seed', notInteger),
  wrong('logit_bias', notObject, any({ 5: 'x' }, { 5: null })),
  wrong('stop', any(5, true, {}, [5], ['a', null], [[]])),
  wrong('max_output_tokens', notInteger, any(0, -5)),
  wrong('max_tool_calls', notInteger, any(0, -5)),
  wrong('parallel_tool_calls', notFlag),
  wrong('metadata', notObject, metadata, any(manyPairs)),
  wrong('modalities', notList, any(['audio'], ['text', 5], [null])),
  wrong('include', notList, any(['web_search_call.action.sources'], [''], ['constructor'], [5])),
  wrong('service_tier', notChoice),
  wrong('session_id', notText, longerThan(256)),
  wrong('user', notText, longerThan(256)),
  wrong('safety_identifier', notText),
  wrong('prompt_cache_key', notText),
  wrong('cache_control', notObject, any({}, { type: 'forever' }, { type: 'ephemeral', ttl: '2h' })),
  wrong('prompt_cache_options', notObject, any({}, { mode: 'auto' }, { mode: 'explicit', ttl: 5 })),
  wrong('debug', notObject, any({ echo_upstream_body: 'yes' })),
  wrong('image_config', notObject, any({ a: true }, { a: {} }, { a: null })),
  wrong('truncation', notChoice),
  wrong('trace', notObject, any({ trace_id: 5 }, { span_name: [] })),
  wrong('text', notObject, unknownMember),
  wrong('text.format', any({ format: 'text' }, { format: {} }, { format: { type: 'yaml' } })),
  wrong(
    'text.format',
    any({ format: { type: 'json_schema', name: 'x' } }, { format: { type: 'text', a: 1 } }),
  ),
  wrong(
    'text.format',
    any({ format: { type: 'json_schema', schema: {} } }, { format: { type: '__proto__' } }),
  ),
  inside('text', 'verbosity', notChoice),
  wrong('reasoning', notObject, unknownMember),
  inside('reasoning', 'effort', notChoice),
  inside('reasoning', 'max_tokens', notInteger, any(0, -1)),
  inside('reasoning', 'enabled', notFlag),
  inside('reasoning', 'summary', notChoice),
  inside('reasoning', 'context', any('all', 5, 'toString')),
  inside('reasoning', 'mode', notChoice),
  inside('reasoning', 'exclude', notFlag),
  wrong('provider', notObject, unknownMember),
  inside('provider', 'order', notList, any([5], [''])),
  inside('provider', 'only', notList, any([{}])),
  inside('provider', 'ignore', notList, any([null])),
  inside('provider', 'allow_fallbacks', notFlag),
  inside('provider', 'require_parameters', notFlag),
  inside('provider', 'data_collection', notChoice),
  inside('provider', 'zdr', notFlag),
  inside('provider', 'enforce_distillable_text', notFlag),
  inside('provider', 'quantizations', notList, any(['fp3'], ['__proto__'])),
  inside('provider', 'sort', any('speed', '', 5, [], { by: 'speed' }, { partition: 'x' }, { order: 'asc' })),
  inside('provider', 'preferred_min_throughput', cutoffs),
  inside('provider', 'preferred_max_latency', cutoffs),
  inside('provider', 'max_price', notObject, unknownMember),
  inside('provider', 'max_price', any({ prompt: -1 }, { prompt: '-1' }, { image: '' }, { audio: true })),
  inside(
    'provider',
    'max_price',
    any({ prompt: 'NaN' }, { prompt: '1e3' }, { request: ' 1' }, { image: [] }),
  ),
  wrong(
    'tools',
    notList,
    any([5], [null], [{}], [{ type: 'toString' }], [{ type: 'hammer' }], [{ type: 5 }]),
  ),
  wrong('tools[0]', any([{ type: 'function' }], [{ type: 'custom' }], [{ ...someTool, name: 'a b' }])),
  wrong('tools[0]', any([{ ...someTool, strict: 'yes' }], [{ ...someTool, parameters: '{}' }])),
  wrong('tools[0]', any([{ ...someTool, defer_loading: true }], [{ ...someTool, name: 'é'.repeat(65) }])),
  wrong('tools[0].function', any([{ type: 'function', function: { name: 'f' } }])),
  ...toolFaults.map(({ path, tool }) => wrong(`tools[0]${path}`, any([tool]))),
  wrong('tools[0].format', any([{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'peg' } }])),
  wrong('tools[1].name', any([someTool, someTool], [someTool, { type: 'custom', name: 'f' }])),
  wrong(
    'tools[2000].name',
    any(Array.from({ length: 2001 }, (_, index) => ({ type: 'custom', name: `n${index % 2000}` }))),
  ),
  wrong('tool_choice', any('any', '', 5, true, [], {}, { type: 'mcp' }, { type: '__proto__' })),
  wrong('tool_choice', any({ type: 'function' }, { type: 'allowed_tools' }, { type: 'function', name: 5 })),
  wrong('tool_choice', any({ type: 'function', name: 'no such tool' }, { type: 'shell' })),
  wrong('tool_choice', any({ type: 'mcp' }, { type: 'file_search' }, { type: 'web_search_preview' })),
  wrong(
    'tool_choice',
    any({ type: 'service:web_search' }, { type: 'allowed_tools', mode: 'any', tools: [] }),
  ),
  wrong('tool_choice.tools', any({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp' }] })),
  wrong('stop_server_tools_when', notList, any([], [5], [{}], [{ type: 'never' }])),
  wrong(
    'stop_server_tools_when[0]',
    any([{ type: 'step_count_is' }], [{ type: 'has_tool_call', tool_name: '' }]),
  ),
  wrong('plugins', notList, any([5], [{}], [{ id: 'nope' }], [{ id: 'constructor' }])),
  wrong('plugins[0]', any([{ id: 'moderation', enabled: false }])),
  wrong('plugins[0]', any([{ id: 'web', enabled: false, max_results: 26 }], [{ id: 'web', bogus: 1 }])),
  wrong('plugins[0].analysis_models', any([{ id: 'fusion', enabled: false, analysis_models: [] }])),
  wrong(
    'plugins[0].allowed_models',
    any([{ id: 'auto-router', enabled: false, allowed_models: Array(1025).fill('a/*') }]),
    any([{ id: 'auto-router', enabled: false, allowed_models: Array(65).fill('a'.repeat(1024)) }]),
  ),
];
