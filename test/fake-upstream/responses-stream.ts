import type * as Wire from 'openai/resources/responses/responses';
import type { JsonObject } from '../../src/util/json.ts';

/** An event of the Responses dialect before it has its number. */
export type WireEvent = { readonly type: string } & JsonObject;

/** Everything a provider of the Responses dialect says of one answer. */
export interface WireAnswer {
  readonly output: readonly Wire.ResponseOutputItem[];
  /** Members of the response beside `output`. */
  readonly response?: JsonObject;
}

const usage = {
  input_tokens: 120,
  input_tokens_details: { cached_tokens: 100, cache_write_tokens: 5 },
  output_tokens: 60,
  output_tokens_details: { reasoning_tokens: 40 },
  total_tokens: 180,
};

/** The response object of an answer, as it stands in an unstreamed body and in the last event. */
export function responsesBody({ output, response }: WireAnswer): JsonObject {
  const usual = {
    id: 'resp_up1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
  };
  return { ...usual, service_tier: 'default', output, usage, ...response };
}

/** The events of an answer in the order the dialect's documentation gives, without their numbers. */
export function responsesEvents(answer: WireAnswer): readonly WireEvent[] {
  const begun = { id: 'resp_up1', object: 'response', status: 'in_progress', output: [] };
  const whole = responsesBody(answer);
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...answer.output.flatMap((item, index) => itemEvents(item, index)),
    { type: `response.${String(whole.status)}`, response: whole },
  ];
}

/** Events as bytes of a stream, one string each, numbered as the dialect numbers them. */
export function toStream(events: readonly WireEvent[]): string[] {
  return events.map((event, sequence_number) => {
    return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
  });
}

function itemEvents(item: Wire.ResponseOutputItem, output_index: number): WireEvent[] {
  const { id } = item;
  const event = (name: string, members: JsonObject = {}): WireEvent => ({
    type: `response.${name}`,
    item_id: id,
    output_index,
    ...members,
  });
  const inside = insideOf(item, event);
  return [
    { type: 'response.output_item.added', output_index, item: announced(item) },
    ...inside,
    { type: 'response.output_item.done', output_index, item },
  ];
}

type MakeEvent = (name: string, members?: JsonObject) => WireEvent;

/** An item before anything of it is written. */
function announced(item: Wire.ResponseOutputItem): JsonObject {
  const begun = { ...item, status: 'in_progress' };
  switch (item.type) {
    case 'message':
      return { ...begun, content: [] };
    case 'reasoning':
      return { type: item.type, id: item.id, summary: [] };
    case 'function_call':
    case 'mcp_call':
      return { ...begun, arguments: '', ...(item.type === 'mcp_call' && { output: null, error: null }) };
    case 'custom_tool_call':
      return { ...begun, input: '' };
    case 'web_search_call':
      return { type: item.type, id: item.id, status: 'in_progress' };
    case 'file_search_call':
      return { ...begun, queries: [], results: null };
    case 'code_interpreter_call':
      return { ...begun, code: '', outputs: null };
    case 'image_generation_call':
      return { ...begun, result: null };
    case 'mcp_list_tools':
      return { ...item, tools: [] };
    case 'mcp_approval_request':
      return { ...item };
    case 'apply_patch_call':
      return item.operation.type === 'delete_file'
        ? begun
        : { ...begun, operation: { ...item.operation, diff: '' } };
    default:
      return begun;
  }
}

function insideOf(item: Wire.ResponseOutputItem, event: MakeEvent): WireEvent[] {
  switch (item.type) {
    case 'message':
      return item.content.flatMap((part, content_index) => partEvents(part, content_index, event));
    case 'reasoning':
      return item.summary.flatMap((part, summary_index) => summaryEvents(part, summary_index, event));
    case 'function_call':
      return written('function_call_arguments', 'arguments', item.arguments, event);
    case 'custom_tool_call':
      return written('custom_tool_call_input', 'input', item.input, event);
    case 'web_search_call':
    case 'file_search_call':
      return ['in_progress', 'searching', 'completed'].map((step) => event(`${item.type}.${step}`));
    case 'code_interpreter_call':
      return [
        event('code_interpreter_call.in_progress'),
        ...written('code_interpreter_call_code', 'code', item.code ?? '', event),
        event('code_interpreter_call.interpreting'),
        event('code_interpreter_call.completed'),
      ];
    case 'image_generation_call':
      return [
        event('image_generation_call.in_progress'),
        event('image_generation_call.generating'),
        event('image_generation_call.partial_image', {
          partial_image_index: 0,
          partial_image_b64: 'iVBORw==',
        }),
        event('image_generation_call.completed'),
      ];
    case 'mcp_list_tools':
      return [event('mcp_list_tools.in_progress'), event('mcp_list_tools.completed')];
    case 'mcp_call':
      return [
        event('mcp_call.in_progress'),
        ...written('mcp_call_arguments', 'arguments', item.arguments, event),
        event(item.status === 'failed' ? 'mcp_call.failed' : 'mcp_call.completed'),
      ];
    case 'apply_patch_call':
      return item.operation.type === 'delete_file'
        ? []
        : written('apply_patch_call_operation_diff', 'diff', item.operation.diff, event);
    default:
      return [];
  }
}

function partEvents(
  part: Wire.ResponseOutputMessage['content'][number],
  content_index: number,
  event: MakeEvent,
): WireEvent[] {
  const at = { content_index };
  if (part.type === 'refusal') {
    return [
      event('content_part.added', { ...at, part: { type: 'refusal', refusal: '' } }),
      ...written('refusal', 'refusal', part.refusal, event, at),
      event('content_part.done', { ...at, part }),
    ];
  }
  const empty = { ...part, text: '', annotations: [] };
  const [first, second, ...rest] = written('output_text', 'text', part.text, event, { ...at, logprobs: [] });
  const citations = part.annotations.map((annotation, annotation_index) =>
    event('output_text.annotation.added', { ...at, annotation_index, annotation }),
  );
  return [
    event('content_part.added', { ...at, part: empty }),
    ...[first, second].filter((entry) => entry !== undefined),
    ...citations,
    ...rest,
    event('content_part.done', { ...at, part }),
  ];
}

function summaryEvents(part: { text: string }, summary_index: number, event: MakeEvent): WireEvent[] {
  const at = { summary_index };
  return [
    event('reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }),
    ...written('reasoning_summary_text', 'text', part.text, event, at),
    event('reasoning_summary_part.done', { ...at, part }),
  ];
}

/** A text in two pieces and then whole. */
function written(
  stem: string,
  member: string,
  text: string,
  event: MakeEvent,
  at: JsonObject = {},
): WireEvent[] {
  const middle = Math.ceil(text.length / 2);
  return [
    event(`${stem}.delta`, { ...at, delta: text.slice(0, middle) }),
    event(`${stem}.delta`, { ...at, delta: text.slice(middle) }),
    event(`${stem}.done`, { ...at, [member]: text }),
  ];
}
