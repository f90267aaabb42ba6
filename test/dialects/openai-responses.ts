import type { FinishReason } from '../../src/core/delta.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type {
  DialectScript,
  ScriptedAnswer,
  ScriptedFailure,
  ScriptedUsage,
  SeenRequest,
  SeenTurn,
  Utterance,
} from './dialect-script.ts';

type Event = { readonly type: string } & JsonObject;

const model = 'atlas-4-instruct';

/** The Responses dialect as its documentation shows it. */
export const openaiResponses: DialectScript = {
  adapter: 'openai-responses',
  provider: { hostedTools: ['image_generation'] },
  credential: 'sk-scripted',
  basePath: '/v1',
  cannot: new Set(['signature']),
  answer(script, streamed) {
    const events = answerEvents(script);
    if (streamed) return stream(events);
    const { response } = events.at(-1) ?? { response: {} };
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: [Buffer.from(JSON.stringify(response))],
    };
  },
  failure(kind, message, retryAfter) {
    const { status, ...error } = failures[kind];
    const wait: Record<string, string> =
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return {
      status,
      headers: { 'content-type': 'application/json', ...wait },
      body: [Buffer.from(JSON.stringify({ error: { message, param: null, ...error } }))],
    };
  },
  failureEvent(kind, message) {
    const { code, type } = failures[kind];
    return frame({ type: 'error', code: code ?? type, message, param: null });
  },
  malformedEvent: () =>
    Buffer.from('event: response.output_text.delta\ndata: {"type":"response.output_text.delta","del\n\n'),
  readRequest,
};

const failures: Readonly<Record<ScriptedFailure, { status: number; type: string; code: string | null }>> = {
  rate_limit: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  overloaded: { status: 503, type: 'server_error', code: 'server_is_overloaded' },
  server: { status: 500, type: 'server_error', code: null },
  authentication: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  context_length: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  invalid_request: { status: 400, type: 'invalid_request_error', code: null },
};

function stream(events: readonly Event[]) {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: events.map((event, sequence_number) => frame({ ...event, sequence_number })),
  };
}

function frame(event: Event): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** One output item: whole, and the events between its announcement and its end. */
interface ScriptedItem {
  readonly begun: JsonObject;
  readonly inside: readonly Event[];
  readonly item: JsonObject;
}

function answerEvents({ utterances, finish, usage }: ScriptedAnswer): Event[] {
  const groups: ScriptedItem[][] = [];
  let next = 0;
  for (const utterance of utterances) {
    const group = itemsOf(utterance, next);
    next += group.length;
    groups.push(group);
  }
  const items = groups.flat();
  const output: JsonObject[] = items.map(({ item }) => item);
  const cut = finish === 'length' || finish === 'content_filter';
  const last = output.at(-1);
  if (cut && last !== undefined) output[output.length - 1] = { ...last, status: 'incomplete' };
  const base = { id: 'resp_scripted', object: 'response', created_at: 1_767_225_600, model };
  const begun = {
    ...base,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const response = { ...base, ...endingOf(finish), error: null, output, usage: usageOf(usage) };
  let index = 0;
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...groups.flatMap((group) => {
      const first = index;
      index += group.length;
      return groupEvents(group, first, output);
    }),
    { type: cut ? 'response.incomplete' : 'response.completed', response },
  ];
}

/** Items of one group are open together, and their fragments alternate: every event names its item. */
function groupEvents(
  group: readonly ScriptedItem[],
  first: number,
  output: readonly JsonObject[],
): readonly Event[] {
  const added = group.map(({ begun }, index) => ({
    type: 'response.output_item.added',
    output_index: first + index,
    item: begun,
  }));
  const longest = Math.max(0, ...group.map(({ inside }) => inside.length));
  const inside = Array.from({ length: longest }, (_, step) => step).flatMap((step) =>
    group.flatMap((item) => item.inside[step] ?? []),
  );
  const done = group.map((_, index) => ({
    type: 'response.output_item.done',
    output_index: first + index,
    item: output[first + index],
  }));
  return [...added, ...inside, ...done];
}

function endingOf(finish: FinishReason): JsonObject {
  if (finish === 'length')
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (finish === 'content_filter')
    return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  return { status: 'completed', incomplete_details: null };
}

function usageOf(usage: ScriptedUsage | undefined): JsonObject | null {
  if (usage === undefined) return null;
  const { input, cacheRead, cacheWrite, output, reasoning } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input === undefined || output === undefined ? undefined : input + output,
  };
}

type MakeEvent = (name: string, members: JsonObject) => Event;

function itemsOf(utterance: Utterance, index: number): ScriptedItem[] {
  if ('call' in utterance) {
    return utterance.call.map((call, offset) => callItem(call, index + offset));
  }
  return [singleItem(utterance, index)];
}

function singleItem(utterance: Exclude<Utterance, { call: unknown }>, output_index: number): ScriptedItem {
  const event = (id: string): MakeEvent => {
    return (name, members) => ({ type: `response.${name}`, item_id: id, output_index, ...members });
  };
  if ('say' in utterance) return sayItem(utterance, `msg_${output_index}`, event(`msg_${output_index}`));
  if ('refuse' in utterance) return refusalItem(utterance.refuse, output_index, event(`msg_${output_index}`));
  if ('think' in utterance) return thoughtItem(utterance, output_index, event(`rs_${output_index}`));
  if ('summarize' in utterance)
    return summaryItem(utterance.summarize, output_index, event(`rs_${output_index}`));
  return pictureItem(utterance.picture, output_index, event(`ig_${output_index}`));
}

function callItem(
  { id: call_id, name, arguments: pieces }: { id: string; name: string; arguments: readonly string[] },
  output_index: number,
): ScriptedItem {
  const item_id = `fc_${output_index}`;
  const base = { type: 'function_call', id: item_id, call_id, name };
  const whole = pieces.join('');
  return {
    begun: { ...base, status: 'in_progress', arguments: '' },
    inside: [
      ...pieces.map((delta) => ({
        type: 'response.function_call_arguments.delta',
        item_id,
        output_index,
        delta,
      })),
      { type: 'response.function_call_arguments.done', item_id, output_index, name, arguments: whole },
    ],
    item: { ...base, status: 'completed', arguments: whole },
  };
}

function sayItem(
  { say, citations = [] }: Extract<Utterance, { say: unknown }>,
  id: string,
  event: MakeEvent,
): ScriptedItem {
  const text = say.join('');
  const at = { content_index: 0 };
  const part = { type: 'output_text', text, annotations: citations, logprobs: [] };
  return message(id, part, [
    event('content_part.added', { ...at, part: { ...part, text: '', annotations: [] } }),
    ...say.map((delta) => event('output_text.delta', { ...at, delta, logprobs: [] })),
    ...citations.map((annotation, annotation_index) =>
      event('output_text.annotation.added', { ...at, annotation_index, annotation }),
    ),
    event('output_text.done', { ...at, text, logprobs: [] }),
    event('content_part.done', { ...at, part }),
  ]);
}

function refusalItem(pieces: readonly string[], index: number, event: MakeEvent): ScriptedItem {
  const refusal = pieces.join('');
  const at = { content_index: 0 };
  const part = { type: 'refusal', refusal };
  return message(`msg_${index}`, part, [
    event('content_part.added', { ...at, part: { type: 'refusal', refusal: '' } }),
    ...pieces.map((delta) => event('refusal.delta', { ...at, delta })),
    event('refusal.done', { ...at, refusal }),
    event('content_part.done', { ...at, part }),
  ]);
}

function message(id: string, part: JsonObject, inside: readonly Event[]): ScriptedItem {
  const base = { type: 'message', id, role: 'assistant' };
  return {
    begun: { ...base, status: 'in_progress', content: [] },
    inside,
    item: { ...base, status: 'completed', content: [part] },
  };
}

function thoughtItem(
  { think, encrypted }: Extract<Utterance, { think: unknown }>,
  index: number,
  event: MakeEvent,
): ScriptedItem {
  const text = think.join('');
  const base = { type: 'reasoning', id: `rs_${index}`, summary: [] };
  const at = { content_index: 0 };
  const content = think.length === 0 ? [] : [{ type: 'reasoning_text', text }];
  const inside = [
    event('content_part.added', { ...at, part: { type: 'reasoning_text', text: '' } }),
    ...think.map((delta) => event('reasoning_text.delta', { ...at, delta })),
    event('reasoning_text.done', { ...at, text }),
    event('content_part.done', { ...at, part: { type: 'reasoning_text', text } }),
  ];
  return {
    begun: base,
    inside: think.length === 0 ? [] : inside,
    item: { ...base, content, encrypted_content: encrypted },
  };
}

function summaryItem(pieces: readonly string[], index: number, event: MakeEvent): ScriptedItem {
  const text = pieces.join('');
  const base = { type: 'reasoning', id: `rs_${index}`, summary: [] };
  const at = { summary_index: 0 };
  const part = { type: 'summary_text', text };
  return {
    begun: base,
    inside: [
      event('reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
      ...pieces.map((delta) => event('reasoning_summary_text.delta', { ...at, delta })),
      event('reasoning_summary_text.done', { ...at, text }),
      event('reasoning_summary_part.done', { ...at, part }),
    ],
    item: { ...base, summary: [part] },
  };
}

function pictureItem(result: string, index: number, event: MakeEvent): ScriptedItem {
  const base = { type: 'image_generation_call', id: `ig_${index}` };
  return {
    begun: { ...base, status: 'in_progress', result: null },
    inside: ['in_progress', 'generating', 'completed'].map((step) =>
      event(`image_generation_call.${step}`, {}),
    ),
    item: { ...base, status: 'completed', result },
  };
}

interface WirePart {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly [member: string]: unknown;
}

interface WireItem {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly WirePart[];
  readonly summary?: readonly WirePart[];
  readonly encrypted_content?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly output?: string | readonly WirePart[];
}

function readRequest(body: JsonObject): SeenRequest {
  const input = (body.input ?? []) as readonly WireItem[];
  const system = input.filter(({ role }) => role === 'system' || role === 'developer');
  const tools = (body.tools ?? []) as readonly { type: string; name: string; parameters?: unknown }[];
  return {
    streamed: body.stream === true,
    system: [body.instructions, ...system.map(({ content }) => textOf(content))].filter(Boolean).join('\n'),
    turns: input.flatMap(turnOf),
    tools: tools
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name, parameters })),
    ...(typeof body.max_output_tokens === 'number' && { maxOutputTokens: body.max_output_tokens }),
  };
}

function turnOf(item: WireItem): readonly SeenTurn[] {
  const { call_id: id, name = '' } = item;
  switch (item.type) {
    case 'message':
      return messageTurn(item);
    case 'reasoning': {
      const text = textOf([...(item.content ?? []), ...(item.summary ?? [])]);
      const encrypted = item.encrypted_content;
      return [{ thinking: encrypted === undefined ? { text } : { text, encrypted } }];
    }
    case 'function_call':
      return [{ call: { id, name, arguments: parse(item.arguments ?? '') } }];
    case 'custom_tool_call':
      return [{ call: { id, name, arguments: item.input } }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ output: { id, text: typeof item.output === 'string' ? item.output : textOf(item.output) } }];
    default:
      return [];
  }
}

function messageTurn({ role, content = [] }: WireItem): readonly SeenTurn[] {
  if (role !== 'user' && role !== 'assistant') return [];
  const media = content.flatMap((part) => mediaOf(part));
  return [{ role, text: textOf(content), ...(media.length > 0 && { media }) }];
}

function mediaOf(part: WirePart): readonly string[] {
  const source = part.image_url ?? part.file_data ?? part.file_url ?? part.file_id;
  if (typeof source === 'string') return [source];
  const { input_audio } = part;
  return typeof input_audio === 'object' && input_audio !== null && 'data' in input_audio
    ? [String(input_audio.data)]
    : [];
}

function textOf(parts: readonly WirePart[] = []): string {
  return parts.map(({ text, refusal }) => text ?? refusal ?? '').join('');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
