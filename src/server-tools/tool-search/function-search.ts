import { HeadgateError } from '../../core/errors.ts';
import type { IsolatedProcesses } from '../../isolation/isolated-processes.ts';
import { isolatedTask } from '../../isolation/isolated-task.ts';
import { isObject } from '../../util/json.ts';
import type { LoopContext } from '../server-tool.ts';
import type { TextSearch, TextsFound } from './search-texts.ts';
import type { HiddenFunction } from './withheld-functions.ts';

/** Characters of one function, and of all of them, that are searched. */
const longestText = 8_192;
const longestTotal = 2_000_000;
const deepest = 16;
/** Milliseconds. */
const longestSearch = 1_000;

const task = isolatedTask<TextSearch, TextsFound>(import.meta.url, './search-texts', 'searchTexts');

/** Finds functions by regular expressions in a child process, in time linear in what they say of themselves. */
export class FunctionSearch {
  readonly #functions: readonly HiddenFunction[];
  readonly #processes: Pick<IsolatedProcesses, 'run'>;
  #texts: readonly string[] | undefined;

  constructor(functions: readonly HiddenFunction[], processes: Pick<IsolatedProcesses, 'run'>) {
    this.#functions = functions;
    this.#processes = processes;
  }

  /**
   * The first functions that a query fits, in the order of the request.
   * @throws HeadgateError `invalid_request` when it is no regular expression or takes too long; `service_unavailable`.
   */
  async find(
    query: string,
    most: number,
    { accountId: owner, signal }: Pick<LoopContext, 'accountId' | 'signal'>,
  ): Promise<readonly HiddenFunction[]> {
    this.#texts ??= textsOf(this.#functions);
    const texts = this.#texts;
    const bytes = 2 * texts.reduce((sum, { length }) => sum + length, 0);
    const run = { time: longestSearch, owner, bytes, signal };
    const outcome = await this.#processes.run(task, { texts, query, most }, run);
    if ('problem' in outcome) {
      if (outcome.problem === 'busy')
        throw new HeadgateError('service_unavailable', 'Too many searches are waiting.', { retryAfter: 1 });
      throw new HeadgateError('invalid_request', 'query: takes too long to search');
    }
    const { result } = outcome;
    if ('problem' in result) throw new HeadgateError('invalid_request', `query: ${result.problem}`);
    return result.found.flatMap((index) => this.#functions[index] ?? []);
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
