import type { HostedItemType } from '../../../core/hosted.ts';
import type { ServiceType } from '../../../core/tool.ts';
import { memberNames } from '../../../schema/members.ts';
import { anyObject, flag, list, named, type TSchema, Type, text, word } from '../../../util/json-schema.ts';
import { TokenLogprob } from '../../answer-schemas.ts';
import { annotationSchemas } from '../../gateway/content/annotations.ts';
import { itemKinds } from '../request/items/item-kinds.ts';

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

/** Items of the tools that the gateway runs. */
const serviceTypes: readonly ServiceType[] = [
  'service:datetime',
  'service:web_search',
  'service:web_fetch',
  'service:experimental__search_models',
  'service:advisor',
  'service:subagent',
  'service:apply_patch',
  'service:fusion',
  'service:files',
  'service:image_generation',
  'service:shell',
  'service:bash',
  'service:tool_search',
];

const maybe = Type.Optional;
const callOptions = { namespace: maybe(text()), async: maybe(flag()) };
const itemStatus = word(['in_progress', 'completed', 'incomplete']);

const outputText = named(
  'OutputText',
  Type.Object({
    type: word(['output_text']),
    text: text(),
    annotations: list({ oneOf: annotationSchemas }),
    logprobs: list(TokenLogprob),
  }),
);
const refusal = Type.Object({ type: word(['refusal']), refusal: text() });
const thought = Type.Object({ type: word(['reasoning_text']), text: text() });

const kinds: readonly TSchema[] = [
  named(
    'OutputMessage',
    Type.Object({
      type: word(['message']),
      id: text(),
      role: word(['assistant']),
      status: itemStatus,
      content: list({ oneOf: [outputText, refusal] }),
      phase: maybe(word(['commentary', 'final_answer'])),
    }),
  ),
  named(
    'OutputReasoning',
    Type.Object({
      type: word(['reasoning']),
      id: text(),
      status: itemStatus,
      summary: list(Type.Object({ type: word(['summary_text']), text: text() })),
      content: list(thought),
      encrypted_content: maybe(text()),
      signature: maybe(text()),
      format: maybe(text()),
    }),
  ),
  named(
    'OutputFunctionCall',
    Type.Object({
      type: word(['function_call']),
      id: text(),
      call_id: text(),
      name: text(),
      arguments: text(),
      status: itemStatus,
      ...callOptions,
      subagent_id: maybe(text()),
      subagent_items: maybe(list(anyObject())),
    }),
  ),
  named(
    'OutputCustomToolCall',
    Type.Object({
      type: word(['custom_tool_call']),
      id: text(),
      call_id: text(),
      name: text(),
      input: text(),
      status: itemStatus,
      ...callOptions,
    }),
  ),
  ...hostedTypes.map(hostedOutput),
  ...serviceTypes.map(hostedOutput),
];

/** Everything `output` may hold (docs/spec/items.md#kinds). */
export const OutputItem = named('OutputItem', { oneOf: kinds });

/** A part of a message or of reasoning. */
export const ContentPart = named('ContentPart', { oneOf: [outputText, refusal, thought] });

/** What was sent is accepted back, so the schema is that of the input item, but id and status are there. */
function hostedOutput(type: HostedItemType | ServiceType): TSchema {
  const schema = itemKinds.rows.get(type)?.schema ?? {};
  const always = memberNames(schema).filter((name) => name === 'id' || name === 'status');
  const required = [...new Set([...(schema.required ?? []), ...always])];
  const name = type.split(/[:_]+/).map((part) => part[0]?.toUpperCase() + part.slice(1));
  return named(`Output${name.join('')}`, { ...schema, required });
}
