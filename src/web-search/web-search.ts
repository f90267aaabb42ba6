import { HeadgateError } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { errors, request } from '../util/undici.ts';
import { inDomains } from './domains.ts';
import { brave, exa, firecrawl, parallel, perplexity, searxng, tavily } from './engines.ts';
import type {
  EngineFormat,
  EngineName,
  EngineRequest,
  EngineSettings,
  SearchQuery,
  SearchResult,
} from './search-engine.ts';

/** How each engine is asked. */
export const engineFormats: Readonly<Record<EngineName, EngineFormat>> = {
  exa,
  searxng,
  brave,
  tavily,
  parallel,
  perplexity,
  firecrawl,
};

/** What a search found, and what it costs the account. */
export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly price: NanoUsd;
}

/** Bytes of an engine's answer. */
const mostBytes = 10 * 1024 * 1024;
const usualTime = 30_000;
/** Characters of one result, whatever the engine sends. */
const mostCharacters = 100_000;

/**
 * Searches the web by the engines that the operator has configured, in the operator's order (docs/spec/server-tools.md#web-search).
 * Their addresses are the operator's, so they may be private.
 */
export class WebSearch {
  readonly #engines: () => readonly EngineSettings[];

  constructor(engines: () => readonly EngineSettings[]) {
    this.#engines = engines;
  }

  /** The engine of that name or, without one, the first; undefined when there is none. */
  find(name?: string): EngineSettings | undefined {
    const engines = this.#engines();
    return name === undefined ? engines[0] : engines.find(({ engine }) => engine === name);
  }

  /**
   * Checks a search before it is made. Returns what it costs at the usual number of results.
   * @throws HeadgateError `invalid_request` for what the engine cannot do.
   */
  check({ engine, price }: EngineSettings, query: SearchQuery): NanoUsd {
    const format = engineFormats[engine];
    format.request(query, '');
    return price ?? format.price(query, query.maxResults);
  }

  /** @throws HeadgateError `invalid_request` when the engine failed: its message is for the model. */
  async search(engine: EngineSettings, query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
    const format = engineFormats[engine.engine];
    const asked = format.request(query, engine.apiKey?.reveal() ?? '');
    const time = format.timeLimit?.(query) ?? usualTime;
    const answer = await ask(engine, format, asked, time, signal);
    const results = format
      .results(answer)
      .filter(({ url }) => query.allowedDomains.length === 0 || inDomains(url, query.allowedDomains))
      .filter(({ url }) => !inDomains(url, query.excludedDomains))
      .slice(0, query.maxResults)
      .map((result) => cut(result, query.maxCharacters ?? mostCharacters));
    return { results, price: engine.price ?? format.price(query, results.length) };
  }
}

function cut(result: SearchResult, characters: number): SearchResult {
  return result.content.length <= characters
    ? result
    : { ...result, content: result.content.slice(0, characters) };
}

async function ask(
  { engine, baseUrl }: EngineSettings,
  format: EngineFormat,
  { method, path, headers, body }: EngineRequest,
  time: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  const limit = AbortSignal.timeout(time);
  try {
    const response = await request(`${baseUrl ?? format.baseUrl}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, limit]),
      headersTimeout: time,
      bodyTimeout: time,
    });
    const text = await readText(response.body);
    if (response.statusCode !== 200) throw failure(engine, `answered with status ${response.statusCode}`);
    const answer = parseJson(text);
    if (!isObject(answer)) throw failure(engine, 'sent something that is no JSON object');
    return answer;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof HeadgateError) throw thrown;
    if (limit.aborted || thrown instanceof errors.ConnectTimeoutError)
      throw failure(engine, 'did not answer in time');
    throw failure(
      engine,
      thrown instanceof SyntaxError ? 'sent something that is no JSON' : 'could not be reached',
    );
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostBytes) throw new HeadgateError('invalid_request', 'The search engine sent too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure(engine: EngineName, what: string): HeadgateError {
  return new HeadgateError('invalid_request', `The search engine "${engine}" ${what}.`);
}
