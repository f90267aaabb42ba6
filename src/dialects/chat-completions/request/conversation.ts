import type { ReadAlteration } from '../../../core/inference-request.ts';
import type { CanonicalChat } from '../../../core/request.ts';
import { contradictory } from '../../../schema/fault.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { readCacheRules } from '../../gateway/common-settings.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import type { ChatRequest } from './chat-request-schema.ts';
import { readMessages } from './messages.ts';
import { readResponseFormat } from './response-format.ts';

/** Reads a body in the words of `POST /responses`. */
export type ReadInputBody = (body: JsonObject, context: ReadContext) => CanonicalChat;

/** Members that are read as in `POST /responses`, with what says the same in a chat body. Tools are read as here. */
const inputMembers: Readonly<Record<string, readonly string[]>> = {
  input: ['messages'],
  instructions: [],
  text: ['response_format', 'verbosity'],
  max_output_tokens: ['max_tokens', 'max_completion_tokens'],
  include: [],
  prompt_cache_options: [],
};

/** What a body asks, in either form. */
export interface Conversation {
  readonly said: Pick<
    CanonicalChat,
    'items' | 'instructions' | 'format' | 'verbosity' | 'maxOutputTokens' | 'include'
  >;
  readonly altered?: readonly ReadAlteration[];
  /** The conversation as the caller wrote it, and the member that holds it. */
  readonly written: readonly [value: unknown, member: string];
}

/**
 * Reads the conversation of a chat body, and what is asked of its answer. Some clients write it as `input`
 * (docs/spec/chat.md#bodies-of-post-responses).
 * @param body The checked members of `raw`.
 * @param read Reads an `input` body.
 * @throws HeadgateError `invalid_request`, or `unprocessable` for members of both dialects for one thing.
 */
export function readConversation(
  raw: unknown,
  body: WithoutNulls<ChatRequest>,
  context: ReadContext,
  read: ReadInputBody,
): Conversation {
  const members = isObject(raw) ? raw : {};
  const isInput = !isAbsent(members.input);
  const parts = isInput ? read(inputBodyOf(members), context) : undefined;
  const format = parts?.format.kind === 'text' ? undefined : parts?.format;
  const own = {
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
    format: format ?? readResponseFormat(body.response_format),
    verbosity: parts?.verbosity ?? body.verbosity,
  };
  if (parts === undefined) {
    const rules = readCacheRules(body.prompt_cache_options);
    const { items, altered } = readMessages(body.messages, rules, context.carriers);
    const isAltered = altered.length > 0;
    return {
      said: { ...own, items },
      ...(isAltered && { altered }),
      written: [members.messages, 'messages'],
    };
  }
  const { items, instructions, include, maxOutputTokens = own.maxOutputTokens } = parts;
  const said = { ...own, items, instructions, include, maxOutputTokens };
  return { said, written: [members.input, 'input'] };
}

/** The members of a body that are read as in `POST /responses`. */
function inputBodyOf(raw: JsonObject): JsonObject {
  const members = Object.entries(inputMembers).flatMap(([name, others]) => {
    const value = raw[name];
    if (isAbsent(value)) return [];
    const other = others.find((one) => !isAbsent(raw[one]));
    if (other !== undefined) throw contradictory(name, `says what ${other} says; send one of them`);
    return [[name, value] as const];
  });
  return { model: 'any', ...Object.fromEntries(members) };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
