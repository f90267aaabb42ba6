import {
  anyObject,
  anyOf,
  choice,
  flag,
  handled,
  integer,
  list,
  optional,
  type Static,
  type TSchema,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { commonMembers, part } from '../../gateway/common-settings.ts';
import { ToolChoiceSchema } from '../../gateway/tools/tool-choice.ts';
import { toolSchemas } from '../../gateway/tools/tools.ts';
import { MessagesSchema } from './messages.ts';
import { ResponseFormatSchema } from './response-format.ts';
import { SearchOptionsSchema } from './search-options.ts';
import { PredictionSchema, SpeechSchema } from './speech.ts';

const NestedFunctionSchema = Type.Object({
  type: choice('function'),
  function: Type.Object({
    name: text({ minLength: 1, maxLength: 64 }),
    description: optional(text()),
    parameters: optional(anyObject()),
    strict: optional(flag()),
  }),
});

const ToolsSchema: TSchema = list(anyOf(NestedFunctionSchema, ...toolSchemas));

const NamedFunctionSchema = Type.Object({
  type: choice('function'),
  function: Type.Object({ name: text({ minLength: 1 }) }),
});

const members = {
  ...commonMembers,
  messages: part(MessagesSchema),
  max_tokens: optional(integer({ minimum: 1 })),
  max_completion_tokens: optional(integer({ minimum: 1 })),
  logprobs: optional(flag()),
  n: optional(integer({ minimum: 1 })),
  stream_options: optional(Type.Object({ include_usage: optional(flag()) })),
  usage: optional(Type.Object({ include: optional(flag()) })),
  reasoning_effort: optional(text()),
  include_reasoning: optional(flag()),
  verbosity: optional(choice('low', 'medium', 'high', 'xhigh', 'max')),
  response_format: part(ResponseFormatSchema),
  tools: part(ToolsSchema),
  tool_choice: part(anyOf(NamedFunctionSchema, ToolChoiceSchema)),
  modalities: optional(list(choice('text', 'image', 'audio'))),
  audio: part(SpeechSchema),
  prediction: part(PredictionSchema),
  web_search_options: optional(SearchOptionsSchema),
  transforms: optional(list(choice('middle-out'))),
  functions: Type.Optional(Type.Unknown()),
  function_call: Type.Optional(Type.Unknown()),
  prompt: Type.Optional(Type.Unknown()),
  stop: Type.Optional(handled(anyOf(text(), list(text(), { maxItems: 4 }), Type.Null()))),
};

/**
 * The body of `POST /chat/completions` (docs/spec/chat.md#request). Unknown members are accepted
 * (docs/spec/requests.md#leniency).
 */
export const ChatRequestSchema = Type.Object(members);

/** A body whose plain members were checked. */
export type ChatRequest = Static<typeof ChatRequestSchema>;

/** The members of the body that are known here. */
export const chatRequestFields = Object.keys(members) as readonly (keyof ChatRequest)[];
