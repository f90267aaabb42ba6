import type { Item } from '../../core/request.ts';
import { malformed, nameOf } from '../../schema/fault.ts';
import { isObject } from '../../util/json.ts';

/** The most inputs of one request. */
const mostInputs = 2048;
/** The most tokens of one input. */
const mostTokens = 1_000_000;

/** Inputs as messages, and those that came as tokens. */
export interface ReadInputs {
  readonly items: readonly Item[];
  readonly tokens?: ReadonlyMap<number, readonly number[]>;
}

/**
 * Reads `input`: one text, one list of tokens, or several of these (docs/spec/embeddings.md#request).
 * @throws HeadgateError `invalid_request`.
 */
export function readInputs(input: unknown): ReadInputs {
  if (input === undefined || input === null) {
    throw malformed('input', 'is required, expected a string or an array');
  }
  if (typeof input === 'string') return { items: [toItem(readText(input, 'input'))] };
  if (!Array.isArray(input)) throw malformed('input', `expected a string or an array, got ${nameOf(input)}`);
  if (input.length === 0) throw malformed('input', 'must not be empty');
  if (typeof input[0] === 'number') {
    return { items: [toItem('')], tokens: new Map([[0, readTokens(input, 'input')]]) };
  }
  if (input.length > mostInputs) {
    throw malformed('input', `must hold at most ${mostInputs} entries, got ${input.length}`);
  }
  return readMany(input);
}

function readMany(input: readonly unknown[]): ReadInputs {
  const tokens = new Map<number, readonly number[]>();
  const items = input.map((entry, index) => {
    const path = `input[${index}]`;
    if (typeof entry === 'string') return toItem(readText(entry, path));
    if (isObject(entry)) return toItem(readContent(entry.content, `${path}.content`));
    if (!Array.isArray(entry)) {
      throw malformed(path, `expected a string, an array of tokens or an object, got ${nameOf(entry)}`);
    }
    tokens.set(index, readTokens(entry, path));
    return toItem('');
  });
  return { items, ...(tokens.size > 0 && { tokens }) };
}

function readText(text: string, path: string): string {
  if (text === '') throw malformed(path, 'must not be empty');
  return text;
}

function readContent(content: unknown, path: string): string {
  if (!Array.isArray(content)) throw malformed(path, `expected an array of parts, got ${nameOf(content)}`);
  const texts = content.map((part, index) => {
    if (isObject(part) && part.type === 'text' && typeof part.text === 'string') return part.text;
    throw malformed(`${path}[${index}]`, 'must be a part of type "text": no provider takes other kinds here');
  });
  return readText(texts.join(''), path);
}

function readTokens(tokens: readonly unknown[], path: string): readonly number[] {
  if (tokens.length === 0) throw malformed(path, 'must not be empty');
  if (tokens.length > mostTokens) throw malformed(path, `must hold at most ${mostTokens} tokens`);
  for (const [index, token] of tokens.entries()) {
    if (Number.isSafeInteger(token) && (token as number) >= 0) continue;
    throw malformed(`${path}[${index}]`, `expected a token number, got ${nameOf(token)}`);
  }
  return tokens as readonly number[];
}

function toItem(text: string): Item {
  return { kind: 'message', role: 'user', content: text === '' ? [] : [{ kind: 'text', text }] };
}
