import { RE2JS } from 're2js';
import { HeadgateError } from '../../core/errors.ts';
import { isObject } from '../../util/json.ts';
import type { HiddenFunction } from './withheld-functions.ts';

/** Characters of one function, and of all of them, that are searched: a search holds up all requests of the process. */
const longestText = 8_192;
const longestTotal = 2_000_000;
const deepest = 16;

/** Finds functions by regular expressions, in time linear in what they say of themselves. */
export class FunctionSearch {
  readonly #functions: readonly HiddenFunction[];
  #texts: readonly string[] | undefined;

  constructor(functions: readonly HiddenFunction[]) {
    this.#functions = functions;
  }

  /**
   * The first functions that a pattern fits, in the order of the request.
   * @throws HeadgateError `invalid_request` when it is no regular expression.
   */
  find(query: string, most: number): readonly HiddenFunction[] {
    const pattern = compile(query);
    this.#texts ??= textsOf(this.#functions);
    const found: HiddenFunction[] = [];
    for (const [index, text] of this.#texts.entries()) {
      if (found.length >= most) break;
      const one = this.#functions[index];
      if (one !== undefined && pattern.matcher(text).find()) found.push(one);
    }
    return found;
  }
}

function compile(query: string): RE2JS {
  try {
    return RE2JS.compile(query, RE2JS.CASE_INSENSITIVE);
  } catch {
    throw new HeadgateError('invalid_request', 'query: is not a regular expression in RE2 syntax');
  }
}

/** What each function is found by. Those beyond the total are found by their names alone. */
function textsOf(functions: readonly HiddenFunction[]): readonly string[] {
  let left = longestTotal;
  return functions.map((one) => {
    const text = textOf(one).slice(0, Math.min(longestText, left));
    left = Math.max(0, left - text.length);
    return text === '' ? one.name : text;
  });
}

function textOf({ name, tool: { description = '', parameters }, namespace }: HiddenFunction): string {
  const words = [name, description, ...(namespace === undefined ? [] : [namespace.description])];
  addArguments(parameters, words, 0);
  return words.join('\n');
}

/** Names and descriptions of arguments, and of theirs. */
function addArguments(schema: unknown, words: string[], depth: number): void {
  if (!isObject(schema) || depth > deepest) return;
  if (depth > 0 && typeof schema.description === 'string') words.push(schema.description);
  const { properties, items } = schema;
  for (const [name, member] of isObject(properties) ? Object.entries(properties) : []) {
    words.push(name);
    addArguments(member, words, depth + 1);
  }
  addArguments(items, words, depth + 1);
}
