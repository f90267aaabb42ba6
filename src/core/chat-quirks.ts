import {
  flag,
  integer,
  list,
  map,
  type Static,
  type TUnsafe,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import type { ReasoningFormat } from './delta.ts';
import { efforts } from './efforts.ts';
import type { ErrorCode } from './errors.ts';

const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Optional(word(words, { description }));
const someOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Optional(list(word(words), { description }));
const flagged = (description: string) => Type.Optional(flag({ description }));
const texted = (description: string) => Type.Optional(text({ minLength: 1, description }));
const mapped = <Value>(description: string, value: TUnsafe<Value>) =>
  Type.Optional(map(value, { description }));

/** Kinds of input besides text, as the `input` quirk names them. */
export const chatInputs = [
  'image_url',
  'image_data',
  'file_data',
  'file_url',
  'file_id',
  'audio',
  'video_data',
  'video_url',
] as const;

/** Body members that control reasoning, as the `reasoningControls` quirk names them. */
const reasoningControls = [
  'reasoning_effort',
  'reasoning',
  'reasoning.enabled',
  'thinking',
  'thinking.adaptive',
  'thinking.budget_tokens',
  'enable_thinking',
  'thinking_budget',
  'chat_template_kwargs.enable_thinking',
  'chat_template_kwargs.thinking',
] as const;

const failures = [
  'upstream_credential',
  'upstream_rate_limit',
  'upstream_policy',
  'upstream_context_length',
  'upstream_not_found',
  'upstream_invalid_request',
  'provider_overloaded',
  'provider_timeout',
  'provider_failed',
] as const satisfies readonly ErrorCode[];

const members = {
  path: texted('Path of calls, appended to the base address. Default `/chat/completions`'),
  auth: oneOf(
    ['bearer', 'api-key', 'x-api-key'],
    'How the credential is sent: `Authorization: Bearer`, the default, or a header of this name',
  ),
  alwaysStream: flagged('The unstreamed mode is missing or limited, so every call is streamed'),
  streamOptions: flagged(
    'False: a stream reports its usage without a request, and `stream_options` is not sent',
  ),
  instructionsRole: oneOf(
    ['system', 'developer'],
    'Role of instructions and of system and developer messages. Default `system`',
  ),
  system_messages: oneOf(
    ['any', 'leading', 'first'],
    'Where system messages are accepted: `any` place, the default, only before everything else (`leading`), or only one as the `first` message, the default of local servers whose models are discovered. Leading ones are joined for `first`; later ones become marked text of the user in their place',
  ),
  alternatingTurns: flagged(
    'User and model must alternate, starting with the user, so neighbours of one side are joined',
  ),
  maxTokensField: oneOf(
    ['max_tokens', 'max_completion_tokens'],
    'Name of the output limit. Default `max_tokens`',
  ),
  logprobs: oneOf(
    ['flag', 'count'],
    'Whether `logprobs` is a flag beside `top_logprobs`, the default, or itself the number of alternatives',
  ),
  mostStops: Type.Optional(
    integer({
      minimum: 1,
      description: 'How many `stop` texts a call may have; the first ones count. Default any number',
    }),
  ),
  seedField: texted('Name of the seed. Default `seed`'),
  endUserField: texted("Name of the end user's pseudonym. Default `user`"),
  serviceTiers: mapped(
    "The provider's names of service tiers, by ours; a tier not listed is not requested. Default the same names",
    text(),
  ),
  omit: Type.Optional(
    list(text({ minLength: 1 }), {
      description: 'Body members that this provider refuses or ignores; never sent',
    }),
  ),
  body: mapped('Members of every body, such as a switch that makes reasoning visible', Type.Unknown()),
  input: someOf(chatInputs, 'Input besides text. Default all but `file_url`; the model decides the rest'),
  strictTools: flagged('False: `strict` is not sent for functions'),
  customTools: flagged('True: tools with free-text input are supported'),
  toolChoices: someOf(
    ['none', 'required', 'named', 'allowed_tools'],
    'Forms of `tool_choice` besides `auto`. Default all but `allowed_tools`',
  ),
  requiredWord: oneOf(
    ['required', 'any'],
    'The value of `tool_choice` that requires any call. Default `required`',
  ),
  speaksAfterTools: flagged(
    'The user may not speak directly after outputs of tools, so a word of the model stands between',
  ),
  marksPrefix: flagged('A last message of the model, which the answer continues, needs `prefix: true`'),
  shortCallIds: flagged('Call ids must be nine letters or digits; others are replaced by a digest'),
  structuredOutput: oneOf(
    ['json_schema', 'json_schema_only', 'json_object_schema', 'json_object', 'none'],
    'What `response_format` accepts: schemas and JSON mode, only schemas, JSON mode with a `schema` inside, only JSON mode, or nothing. Default `json_schema`',
  ),
  schemaFallback: oneOf(
    ['forced-tool', 'instructed'],
    'How a schema is emulated without `json_schema`. Default `instructed`',
  ),
  reasoningControls: someOf(
    reasoningControls,
    'Members that control reasoning; an empty list means none. Default `reasoning_effort`',
  ),
  efforts: someOf(
    efforts,
    'Efforts that the provider accepts; the nearest is sent. Default whatever the model accepts',
  ),
  reasoningReplay: oneOf(
    ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_parts', 'think_tags'],
    'The form in which assistant messages return reasoning of earlier turns. Default none: it is left out',
  ),
  reasoningRequired: flagged(
    'True: every assistant message must contain reasoning; a blank is sent where there is none',
  ),
  sealedFormats: Type.Optional(
    list(Type.Unsafe<ReasoningFormat>({ type: 'string', minLength: 1 }), {
      description:
        'Formats of sealed reasoning that this provider reads; needs `reasoning_details`. Default none',
    }),
  ),
  callSignatures: flagged(
    'True: signatures of calls go back as `extra_content`. Default: to the models that sign calls, by their names or the address',
  ),
  thinkTags: flagged('True: reasoning may leak into the text between `<think>` tags'),
  cacheControl: flagged('True: content parts accept `cache_control` marks'),
  imageOutput: flagged('True: pictures can be requested by `modalities`'),
  audioOutput: flagged('True: speech can be requested by `modalities` and `audio`'),
  prediction: flagged('True: `prediction` of the answer is taken'),
  citationTokens: flagged('True: `citation_tokens` are billed as input beside the prompt'),
  webSearch: oneOf(
    ['web_search_options', 'enable_search', 'always'],
    'How the provider searches the web: when one of these members is set, or for every call. Default not at all',
  ),
} as const;

const closed = { additionalProperties: false } as const;

/**
 * All differences between providers of chat completions: the type of the quirks in provider rows and in
 * `providers.*.quirks`. An absent member means the dialect's default, which its description states. Values are named
 * as on the wire.
 */
export const chatQuirksSchema = Type.Object(
  {
    ...members,
    errorCodes: mapped(
      "The meaning of the provider's own error codes and statuses, as codes of docs/errors.md. The common ones are built in",
      word(failures),
    ),
    byModel: mapped(
      "Quirks of some models, by a pattern of the provider's own names in which `*` matches anything; they override the provider's, and later ones override earlier ones",
      Type.Object(members, closed),
    ),
  },
  { ...closed, description: 'How this provider differs' },
);

/** See `chatQuirksSchema`. */
export type ChatQuirks = Static<typeof chatQuirksSchema>;
