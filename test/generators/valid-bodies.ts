import fc from 'fast-check';
import { inputItems } from './valid-items.ts';
import { toolMembers } from './valid-tools.ts';
import { maybe } from './valid-values.ts';

/** A body of `POST /responses` as a client may send it. */
export type Body = Record<string, unknown>;

const words = fc.string({ minLength: 1, maxLength: 20 });
const slug = fc.constantFrom('acme/swift-1', 'acme/atlas-4:nitro', 'service/auto', 'x/y');
const flag = fc.boolean();

const double = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const sampling = {
  temperature: maybe(double(0, 2)),
  top_p: maybe(double(0, 1)),
  top_k: maybe(fc.nat(500)),
  frequency_penalty: maybe(double(-2, 2)),
  presence_penalty: maybe(double(-2, 2)),
  top_logprobs: maybe(fc.integer({ min: 0, max: 20 })),
  min_p: maybe(double(0, 1)),
  top_a: maybe(double(0, 1)),
  repetition_penalty: maybe(double(0, 2)),
  seed: maybe(fc.integer()),
  logit_bias: maybe(fc.dictionary(fc.nat(9999).map(String), fc.integer({ min: -100, max: 100 }))),
  stop: maybe(fc.oneof(words, fc.array(words, { maxLength: 4 }))),
};

const reasoning = fc.record(
  {
    effort: maybe(fc.constantFrom('max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none')),
    max_tokens: maybe(fc.integer({ min: 1, max: 1000 })),
    enabled: maybe(flag),
    summary: maybe(fc.constantFrom('auto', 'concise', 'detailed')),
    context: maybe(fc.constantFrom('auto', 'all_turns', 'current_turn')),
    mode: maybe(fc.constantFrom('standard', 'pro')),
    exclude: maybe(flag),
  },
  { requiredKeys: [] },
);

const format = fc.oneof(
  fc.constantFrom({ type: 'text' }, { type: 'json_object' }, { type: 'json_schema' }),
  fc.record(
    {
      type: fc.constant('json_schema'),
      name: words,
      schema: fc.constant({ type: 'object', properties: { a: { type: 'string' } } }),
      description: words,
      strict: maybe(flag),
    },
    { requiredKeys: ['type', 'name', 'schema'] },
  ),
);

const text = fc.record(
  { format: maybe(format), verbosity: maybe(fc.constantFrom('low', 'medium', 'high', 'xhigh', 'max')) },
  { requiredKeys: [] },
);

const price = fc.oneof(double(0, 100), fc.constantFrom('0', '2.50', '0.000001', 0.1 + 0.2, 1e-7, 1e22));
const cutoffs = fc.oneof(double(0, 100), fc.constantFrom<unknown>({ p50: 1, p99: 0.5 }, { p90: null }, {}));

const provider = fc.record(
  {
    order: maybe(fc.array(words, { maxLength: 3 })),
    only: maybe(fc.array(words, { maxLength: 3 })),
    ignore: maybe(fc.array(words, { maxLength: 3 })),
    allow_fallbacks: maybe(flag),
    require_parameters: maybe(flag),
    data_collection: maybe(fc.constantFrom('allow', 'deny')),
    zdr: maybe(flag),
    enforce_distillable_text: maybe(flag),
    quantizations: maybe(fc.array(fc.constantFrom('fp8', 'int4', 'unknown'), { maxLength: 3 })),
    sort: maybe(fc.constantFrom<unknown>('price', 'latency', { by: 'throughput', partition: 'none' }, {})),
    preferred_min_throughput: maybe(cutoffs),
    preferred_max_latency: maybe(cutoffs),
    max_price: maybe(fc.record({ prompt: price, completion: price, image: price }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

const metadata = fc.dictionary(fc.stringMatching(/^[^[\]]{1,64}$/), fc.string({ maxLength: 512 }), {
  maxKeys: 16,
  noNullPrototype: true,
});

const settings = {
  instructions: maybe(words),
  stream: maybe(flag),
  store: maybe(fc.constant(false)),
  previous_response_id: fc.constant(null),
  background: maybe(flag),
  max_output_tokens: maybe(fc.integer({ min: 2000, max: 100_000 })),
  max_tool_calls: maybe(fc.integer({ min: 1, max: 99 })),
  parallel_tool_calls: maybe(flag),
  metadata: maybe(metadata),
  modalities: maybe(fc.constantFrom([], ['text'], ['text', 'image'], ['image', 'image'])),
  include: maybe(
    fc.subarray([
      'file_search_call.results',
      'message.input_image.image_url',
      'computer_call_output.output.image_url',
      'reasoning.encrypted_content',
      'code_interpreter_call.outputs',
    ]),
  ),
  prompt: maybe(
    fc.constantFrom(
      { id: 'p_1' },
      { id: 'p_1', variables: { a: 'x', b: { type: 'input_image', file_id: 'f', detail: 'auto' } } },
    ),
  ),
  service_tier: maybe(fc.constantFrom('auto', 'default', 'fast', 'flex', 'priority', 'scale')),
  session_id: maybe(words),
  user: maybe(words),
  safety_identifier: maybe(words),
  prompt_cache_key: maybe(words),
  cache_control: maybe(fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' })),
  prompt_cache_options: maybe(fc.constantFrom({ mode: 'explicit' }, { mode: 'explicit', ttl: '1h' })),
  debug: maybe(fc.record({ echo_upstream_body: flag })),
  image_config: maybe(fc.constantFrom({ aspect_ratio: '16:9', strength: 0.5, sizes: [1, 2] })),
  truncation: maybe(fc.constantFrom('auto', 'disabled')),
  stop_server_tools_when: maybe(fc.constantFrom([{ type: 'step_count_is', step_count: 3 }])),
  trace: maybe(fc.constantFrom({ trace_id: 't', anything: { deep: [1] } })),
  plugins: maybe(fc.constantFrom([], [{ id: 'web', enabled: false, max_results: 25 }])),
  route: maybe(fc.constantFrom<unknown>('fallback', 'sort', {}, 'other')),
  text: maybe(text),
  reasoning: maybe(reasoning),
  provider: maybe(provider),
  models: maybe(fc.array(slug, { maxLength: 4 })),
  an_unknown_field: fc.jsonValue(),
};

/** Bodies that must be accepted, touching every field of docs/spec/requests.md#fields. */
export const validBodies: fc.Arbitrary<Body> = fc
  .tuple(
    fc.record({ model: slug, input: fc.oneof(words, inputItems) }),
    fc.record(sampling, { requiredKeys: [] }),
    fc.record(settings, { requiredKeys: [] }),
    fc.option(toolMembers, { nil: {} }),
  )
  .map((parts) => Object.assign({}, ...parts));
