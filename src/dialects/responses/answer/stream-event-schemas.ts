import {
  anyObject,
  integer,
  list,
  named,
  orNull,
  type TSchema,
  Type,
  text,
  word,
} from '../../../util/json-schema.ts';
import { TokenLogprob } from '../../answer-schemas.ts';
import type { StreamEventBody } from '../../gateway/assembly/response.ts';
import { annotationSchemas } from '../../gateway/content/annotations.ts';
import { ContentPart, OutputItem } from './output-item-schemas.ts';
import { ResponseAnswer } from './response-schema.ts';

type EventType = StreamEventBody['type'];

type BodyOf<Type, Body = StreamEventBody> = Body extends { readonly type: infer Types }
  ? Type extends Types
    ? Body
    : never
  : never;

/** When an event is sent, and what it holds besides its type and number: a schema for each member, none forgotten. */
type EventRow<Type> = readonly [
  when: string,
  members: { readonly [Name in Exclude<keyof BodyOf<Type>, 'type'>]: TSchema },
];

const snapshot = { response: ResponseAnswer };
const item = { output_index: integer(), item: OutputItem };
const inItem = { item_id: text(), output_index: integer() };
const inPanel = { ...inItem, model: text() };
const inContent = { ...inItem, content_index: integer() };
const inSummary = { ...inItem, summary_index: integer() };
const contentPart = { ...inContent, part: ContentPart };
const summaryPart = { ...inSummary, part: Type.Object({ type: word(['summary_text']), text: text() }) };
const logprobs = list(TokenLogprob);

const events: { readonly [Type in EventType]: EventRow<Type> } = {
  'response.debug': [
    'First of all, for each provider asked, where `debug.echo_upstream_body` is true.',
    { debug: Type.Object({ echo_upstream_body: Type.Optional(Type.Unknown()) }) },
  ],
  'response.created': ['A provider answers; the snapshot names the model that does.', snapshot],
  'response.in_progress': ['Follows at once, with the same snapshot.', snapshot],
  'response.output_item.added': ['An item of the output begins, still empty.', item],
  'response.output_item.done': ['An item is whole, or was cut off by a limit.', item],
  'response.content_part.added': ['A part of a message or of reasoning begins, still empty.', contentPart],
  'response.content_part.done': ['A part is whole.', contentPart],
  'response.output_text.delta': ['The next piece of a text.', { ...inContent, delta: text(), logprobs }],
  'response.output_text.done': ['The whole text.', { ...inContent, text: text(), logprobs }],
  'response.output_text.annotation.added': [
    'A citation in a text; it counts UTF-16 units of the whole text.',
    { ...inContent, annotation_index: integer(), annotation: { oneOf: annotationSchemas } },
  ],
  'response.refusal.delta': ['The next piece of a refusal.', { ...inContent, delta: text() }],
  'response.refusal.done': ['The whole refusal.', { ...inContent, refusal: text() }],
  'response.reasoning_text.delta': [
    'The next piece of what the model thinks.',
    { ...inContent, delta: text() },
  ],
  'response.reasoning_text.done': ['All of it.', { ...inContent, text: text() }],
  'response.reasoning_summary_part.added': ['A part of the summary of reasoning begins.', summaryPart],
  'response.reasoning_summary_part.done': ['A part of the summary is whole.', summaryPart],
  'response.reasoning_summary_text.delta': [
    'The next piece of a part of the summary.',
    { ...inSummary, delta: text() },
  ],
  'response.reasoning_summary_text.done': ['The whole part of the summary.', { ...inSummary, text: text() }],
  'response.function_call_arguments.delta': [
    'The next piece of the arguments of a function.',
    { ...inItem, delta: text() },
  ],
  'response.function_call_arguments.done': [
    'The whole arguments, as JSON in a string.',
    { ...inItem, name: text(), arguments: text() },
  ],
  'response.custom_tool_call_input.delta': [
    'The next piece of the input of a custom tool.',
    { ...inItem, delta: text() },
  ],
  'response.custom_tool_call_input.done': ['The whole input.', { ...inItem, input: text() }],
  'response.web_search_call.in_progress': ['A search of the web begins.', inItem],
  'response.web_search_call.searching': ['The provider searches.', inItem],
  'response.web_search_call.completed': ['The search is over; one that failed ends without this.', inItem],
  'response.file_search_call.in_progress': ['A search of files begins.', inItem],
  'response.file_search_call.searching': ['The provider searches.', inItem],
  'response.file_search_call.completed': ['The search is over; one that failed ends without this.', inItem],
  'response.image_generation_call.in_progress': ['A picture is begun.', inItem],
  'response.image_generation_call.generating': ['The provider draws.', inItem],
  'response.image_generation_call.partial_image': [
    'A picture as far as it got, in base64.',
    { ...inItem, partial_image_b64: text(), partial_image_index: integer() },
  ],
  'response.image_generation_call.completed': [
    'The picture is done; one that failed ends without this.',
    inItem,
  ],
  'response.fusion_call.in_progress': ['A panel is about to be asked.', inItem],
  'response.fusion_call.panel.added': ['A model of the panel is asked.', inPanel],
  'response.fusion_call.panel.delta': ['The next piece of its answer.', { ...inPanel, delta: text() }],
  'response.fusion_call.panel.reasoning.delta': [
    'The next piece of its thoughts.',
    { ...inPanel, delta: text() },
  ],
  'response.fusion_call.panel.completed': ['Its whole answer.', { ...inPanel, content: text() }],
  'response.fusion_call.panel.failed': [
    'It did not answer.',
    { ...inPanel, error: text(), status_code: Type.Optional(integer()) },
  ],
  'response.fusion_call.analysis.in_progress': [
    'The analyst compares the answers; both members name it.',
    { ...inItem, analyst_model: text(), judge_model: text() },
  ],
  'response.fusion_call.analysis.completed': [
    'What it found; without this it failed.',
    { ...inItem, analysis: anyObject() },
  ],
  'response.fusion_call.completed': ['The panel is done.', inItem],
  'response.code_interpreter_call.in_progress': ['The model begins to write code to be run.', inItem],
  'response.code_interpreter_call_code.delta': ['The next piece of the code.', { ...inItem, delta: text() }],
  'response.code_interpreter_call_code.done': ['The whole code.', { ...inItem, code: text() }],
  'response.code_interpreter_call.interpreting': ['The provider runs it.', inItem],
  'response.code_interpreter_call.completed': ['It has run; what failed ends without this.', inItem],
  'response.apply_patch_call_operation_diff.delta': [
    'The next piece of a patch.',
    { ...inItem, delta: text() },
  ],
  'response.apply_patch_call_operation_diff.done': ['The whole patch.', { ...inItem, diff: text() }],
  'response.mcp_list_tools.in_progress': ['The tools of an MCP server are asked for.', inItem],
  'response.mcp_list_tools.completed': ['They are known.', inItem],
  'response.mcp_list_tools.failed': ['They could not be had.', inItem],
  'response.mcp_call.in_progress': ['A call of a tool of an MCP server begins.', inItem],
  'response.mcp_call_arguments.delta': ['The next piece of its arguments.', { ...inItem, delta: text() }],
  'response.mcp_call_arguments.done': ['The whole arguments.', { ...inItem, arguments: text() }],
  'response.mcp_call.completed': ['The tool has answered.', inItem],
  'response.mcp_call.failed': ['The tool failed.', inItem],
  error: [
    'The answer broke off; `response.failed` follows with the details.',
    { code: orNull(text()), message: text(), param: orNull(text()) },
  ],
  'response.completed': ['The end of a whole answer: the response with its usage and cost.', snapshot],
  'response.incomplete': ['The end of an answer that a limit or a filter cut off.', snapshot],
  'response.failed': ['The end of an answer that broke off, with the error and what there was.', snapshot],
};

const schemas = (Object.keys(events) as EventType[]).map((type) => [type, schemaOf(type)] as const);

/** Anything a stream may carry (docs/spec/answers.md#event-types). */
export const StreamEvent = named('StreamEvent', {
  description:
    'One event: the `data` of a server-sent event whose name is its `type`. Numbers run from 0 without gaps. ' +
    'After any `response.debug` a stream begins with `response.created`; it ends with one of `response.completed`, ' +
    '`response.incomplete` and `response.failed`, then `data: [DONE]`. Comments in between keep the connection alive.',
  oneOf: schemas.map(([, schema]) => schema),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(schemas.map(([type]) => [type, `#/components/schemas/${schemaName(type)}`])),
  },
});

function schemaOf(type: EventType): TSchema {
  const [description, members] = events[type];
  return named(schemaName(type), {
    description,
    ...Type.Object({ type: word([type]), ...members, sequence_number: integer() }),
  });
}

/** `response.output_text.delta` is described as `OutputTextDeltaEvent`. */
function schemaName(type: EventType): string {
  const parts = type.replace('response.', '').split(/[._]/);
  return `${parts.map((part) => part[0]?.toUpperCase() + part.slice(1)).join('')}Event`;
}
