import { createId } from '../../../core/ids.ts';
import { countTokens } from '../../../util/count-tokens.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';

/** Tokens that the kept messages may have together. */
const room = 20_000;

/** The newest messages of the user that fit, in their order: words that a summary must not blur. */
export function keptMessages(input: unknown): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  let left = room;
  for (const message of userMessages(input).toReversed()) {
    left -= countTokens(JSON.stringify(message.content));
    if (left < 0) break;
    kept.unshift(message);
  }
  return kept;
}

function userMessages(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') return [messageOf(input)];
  if (!Array.isArray(input)) return [];
  return input
    .filter(isObject)
    .filter(({ role, type }) => role === 'user' && (type ?? 'message') === 'message')
    .map(({ content }) => messageOf(content));
}

function messageOf(content: unknown): JsonObject {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? []);
  return { type: 'message', id: createId('msg_'), status: 'completed', role: 'user', content: parts };
}
