import type { HostedItemType } from '../../core/hosted.ts';
import { annotationSchemas } from '../../dialects/responses/request/content/annotations.ts';
import { itemKinds } from '../../dialects/responses/request/items/item-kinds.ts';
import { memberNames } from '../../schema/members.ts';
import type { JsonObject } from '../../util/json.ts';
import { flag, integer, listOf, number, object, ref, string, words } from './schema-parts.ts';

/** Items of hosted tools that answers hold; the others are only sent by clients. */
const hostedTypes: readonly HostedItemType[] = [
  'web_search_call',
  'file_search_call',
  'image_generation_call',
  'code_interpreter_call',
  'computer_call',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
];

const callOptions = { 'namespace?': string, 'async?': flag };
const token = { token: string, logprob: number, bytes: listOf(integer) };
const text = object({
  type: words('output_text'),
  text: string,
  annotations: listOf({ oneOf: annotationSchemas }),
  logprobs: listOf(ref('TokenLogprob')),
});
const refusal = object({ type: words('refusal'), refusal: string });
const thought = object({ type: words('reasoning_text'), text: string });
const itemStatus = words('in_progress', 'completed', 'incomplete');

const kinds: Readonly<Record<string, JsonObject>> = {
  OutputMessage: object({
    type: words('message'),
    id: string,
    role: words('assistant'),
    status: itemStatus,
    content: listOf({ oneOf: [text, refusal] }),
    'phase?': words('commentary', 'final_answer'),
  }),
  OutputReasoning: object({
    type: words('reasoning'),
    id: string,
    status: itemStatus,
    summary: listOf(object({ type: words('summary_text'), text: string })),
    content: listOf(thought),
    'encrypted_content?': string,
    'signature?': string,
    'format?': string,
  }),
  OutputFunctionCall: object({
    type: words('function_call'),
    id: string,
    call_id: string,
    name: string,
    arguments: string,
    status: itemStatus,
    ...callOptions,
  }),
  OutputCustomToolCall: object({
    type: words('custom_tool_call'),
    id: string,
    call_id: string,
    name: string,
    input: string,
    status: itemStatus,
    ...callOptions,
  }),
  ...Object.fromEntries(hostedTypes.map(hostedOutput)),
};

/** Schemas of everything `output` may hold, by name, and `OutputItem` for any of it (responses.md 3.2). */
export const outputItems: Readonly<Record<string, JsonObject>> = {
  OutputItem: { oneOf: Object.keys(kinds).map(ref) },
  ...kinds,
  ContentPart: { oneOf: [text, refusal, thought] },
  TokenLogprob: object({ ...token, top_logprobs: listOf(object(token)) }),
};

/** What was sent is accepted back, so the schema is that of the input item, but id and status are there. */
function hostedOutput(type: HostedItemType): readonly [name: string, schema: JsonObject] {
  const schema = itemKinds.rows.get(type)?.schema ?? {};
  const always = memberNames(schema).filter((name) => name === 'id' || name === 'status');
  const required = [...new Set([schema.required ?? [], always].flat())];
  const name = type.split('_').map((word) => word[0]?.toUpperCase() + word.slice(1));
  return [`Output${name.join('')}`, { ...schema, required }];
}
