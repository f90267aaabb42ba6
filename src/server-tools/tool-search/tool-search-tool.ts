import { qualifiedName } from '../../core/client-tools.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { Item } from '../../core/request.ts';
import type { IsolatedProcesses } from '../../isolation/isolated-processes.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { integer, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import {
  entryOf,
  type LoopContext,
  type ServerTool,
  type ToolContext,
  type ToolOffer,
  type ToolResult,
} from '../server-tool.ts';
import { FunctionSearch } from './function-search.ts';
import { hiddenFunctions, WithheldFunctions } from './withheld-functions.ts';

const type = 'service:tool_search';
const longestQuery = 200;
const { definition, check } = toolFunction(
  type,
  'Finds further functions by a regular expression (RE2 syntax, in any case) over their names, descriptions and arguments. ' +
    'What it finds can be called from the next turn on.',
  Type.Object({
    query: text({ minLength: 1, description: `The regular expression, at most ${longestQuery} characters.` }),
    max_results: optional(integer({ minimum: 1, description: 'How many functions at most.' })),
  }),
);

const usualResults = 5;
const mostResults = 50;

/** Searches of earlier requests that are done again because their items hold no result. */
const mostRepeated = 20;

/**
 * `service:tool_search`: functions that are offered once they are found (docs/spec/server-tools.md#tool-search).
 * @param processes Where queries are searched.
 */
export function toolSearchTool(processes: Pick<IsolatedProcesses, 'run'>): ServerTool {
  return {
    type,
    concerns: (request) => entryOf(request, type) !== undefined,
    offer: (request) => [new SearchOffer(request, processes)],
  };
}

/** The search of one request, and what it has found. */
class SearchOffer implements ToolOffer {
  readonly type = type;
  readonly definition = definition;
  readonly idPrefix = 'ts_';
  readonly withheld: WithheldFunctions;
  readonly #search: FunctionSearch;
  readonly #most: number;
  /** What replayed items found, or the query of one that holds no result, as long as there is such a query. */
  #replayed: readonly Replayed[];

  /** @throws HeadgateError `invalid_request` for a choice that forces or forbids calls while functions are hidden. */
  constructor(request: InferenceRequest, processes: Pick<IsolatedProcesses, 'run'>) {
    const { toolChoice, items } = request.canonical;
    const deferred = hiddenFunctions(request.canonical);
    if (deferred.length > 0 && toolChoice.kind !== 'auto' && toolChoice.kind !== 'allowed') {
      const problem = 'must be "auto" or allowed_tools where tools have defer_loading';
      throw new HeadgateError('invalid_request', `tool_choice: ${problem}`);
    }
    const { max_results: most } = entryOf(request, type)?.settings ?? {};
    this.#most = Math.min(Math.max(typeof most === 'number' ? most : usualResults, 1), mostResults);
    this.#search = new FunctionSearch(deferred, processes);
    this.withheld = new WithheldFunctions(deferred);
    this.#replayed = replayedBy(items);
    if (!this.needsPreparing) {
      for (const { names = [] } of this.#replayed) this.#offerAgain(names);
      this.#replayed = [];
    }
  }

  announce({ query }: JsonObject): JsonObject {
    return { query: typeof query === 'string' ? query : '' };
  }

  failed(input: JsonObject): JsonObject {
    return this.announce(input);
  }

  async run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    const { query, max_results: asked } = check(input, '');
    if (query.length > longestQuery) {
      const problem = `must have at most ${longestQuery} characters, got ${query.length}`;
      throw new HeadgateError('invalid_request', `query: ${problem}`);
    }
    const found = await this.#search.find(query, Math.min(asked ?? this.#most, this.#most), context);
    for (const { name } of found) this.withheld.find(name);
    const tools = found.map(({ tool: { name, description }, namespace }) => ({
      name,
      ...(namespace !== undefined && { namespace: namespace.name }),
      ...(description !== undefined && { description }),
    }));
    return { output: JSON.stringify({ tools }), fields: { query, tools: found.map(({ name }) => name) } };
  }

  /** Whether replayed searches have to be done again. */
  get needsPreparing(): boolean {
    return this.#replayed.some(({ query }) => query !== undefined);
  }

  /** Offers again what replayed items found. Searches whose items hold no result are done again, each query once. */
  async prepare(context: LoopContext): Promise<void> {
    const found = new Map<string, readonly string[]>();
    for (const { names, query } of this.#replayed) {
      if (query !== undefined && !found.has(query) && found.size < mostRepeated)
        found.set(query, await this.#namesFor(query, context));
      this.#offerAgain(names ?? found.get(query ?? '') ?? []);
    }
    this.#replayed = [];
  }

  async #namesFor(query: string, context: LoopContext): Promise<readonly string[]> {
    try {
      return (await this.#search.find(query, this.#most, context)).map(({ name }) => name);
    } catch {
      // It found nothing then either.
      return [];
    }
  }

  #offerAgain(names: readonly string[]): void {
    for (const name of names) this.withheld.find(name);
  }
}

/** What one replayed item found: names of functions, or a query where it does not say. */
interface Replayed {
  readonly names?: readonly string[];
  readonly query?: string;
}

/** What was found or called before stays callable, in the order of the items. */
function replayedBy(items: readonly Item[]): readonly Replayed[] {
  return items.flatMap((item): readonly Replayed[] => {
    if (item.kind === 'call') return [{ names: [qualifiedName(item.name, item.namespace)] }];
    if (item.kind !== 'service' || item.type !== type) return [];
    const names = namesFoundBy(item.fields);
    if (names !== undefined) return [{ names }];
    const { query } = item.fields;
    return typeof query === 'string' && query.length <= longestQuery ? [{ query }] : [];
  });
}

/** The names that a replayed search holds as its result, in the form of either dialect; undefined when it holds none. */
function namesFoundBy({ tools, result, error }: JsonObject): readonly string[] | undefined {
  if (typeof error === 'string') return [];
  if (Array.isArray(tools)) return tools.filter((name) => typeof name === 'string');
  if (!isObject(result)) return undefined;
  const { tool_references: references } = result;
  if (!Array.isArray(references)) return [];
  return references.flatMap((one) =>
    isObject(one) && typeof one.tool_name === 'string' ? one.tool_name : [],
  );
}
