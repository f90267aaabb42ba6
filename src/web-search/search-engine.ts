import type { NanoUsd } from '../core/money.ts';
import type { JsonObject } from '../util/json.ts';
import type { Secret } from '../util/secret.ts';

/** Names of the engines that operators can configure (docs/spec/server-tools.md#web-search). */
export const engineNames = [
  'exa',
  'searxng',
  'brave',
  'tavily',
  'parallel',
  'perplexity',
  'firecrawl',
] as const;

/** An engine that the gateway can ask. */
export type EngineName = (typeof engineNames)[number];

/** What an operator says of an engine. */
export interface EngineSettings {
  readonly engine: EngineName;
  readonly baseUrl?: string;
  readonly apiKey?: Secret;
  /** What a search costs, in place of the engine's own prices. */
  readonly price?: NanoUsd;
}

/** What is looked for, in no engine's words. */
export interface SearchQuery {
  readonly query: string;
  /** 1 to 25. */
  readonly maxResults: number;
  /** The engine's own word for how thoroughly to search. */
  readonly mode?: string;
  readonly contextSize?: 'low' | 'medium' | 'high';
  /** Of each result; it wins over the context size. */
  readonly maxCharacters?: number;
  readonly allowedDomains: readonly string[];
  readonly excludedDomains: readonly string[];
}

/** A page that was found. Excerpts of one page are separated by a line `[...]`. */
export interface SearchResult {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly publishedDate?: string;
}

/** A request to an engine. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST';
  /** Behind the engine's address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

/** How one engine is asked, by its wire format; nothing here connects. */
export interface EngineFormat {
  readonly name: EngineName;
  /** Undefined where every installation has its own. */
  readonly baseUrl?: string;
  readonly needsKey: boolean;
  /** @throws HeadgateError `invalid_request` for what this engine cannot do. */
  request(query: SearchQuery, apiKey: string): EngineRequest;
  /** The results of an answer; what is no result is passed over. */
  results(answer: JsonObject): readonly SearchResult[];
  /** What a search costs. @param found Results that came. */
  price(query: SearchQuery, found: number): NanoUsd;
  /** Milliseconds it may take. */
  timeLimit?(query: SearchQuery): number;
}
