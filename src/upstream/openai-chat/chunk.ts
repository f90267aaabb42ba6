import type { Lenient } from '../lenient.ts';

/**
 * One event of a chat completion's stream, or an unstreamed completion, as providers really send it: any member may
 * be missing or null.
 */
export type Chunk = Lenient<WireChunk>;

/** The part of a chunk about the one requested answer. */
export type ChunkChoice = Lenient<WireChoice>;

/** What is new in a chunk. */
export type ChunkDelta = Lenient<WireDelta>;

/** A piece of a call; providers differ in which members come with which piece. */
export type CallFragment = Lenient<WireCall>;

/** The token counts of a call. */
export type ChunkUsage = Lenient<WireUsage>;

interface WireChunk {
  id: string;
  choices: WireChoice[];
  usage: WireUsage;
  service_tier: string;
  error: unknown;
  /** One compatible provider puts the usage here. */
  x_groq: { usage: WireUsage; error: unknown };
  /** Sources of a search, as addresses or objects with titles. */
  citations: unknown[];
  search_results: unknown[];
  web_search: unknown[];
  search_info: { search_results: unknown[] };
}

interface WireChoice {
  index: number;
  delta: WireDelta;
  /** Replaces `delta` in unstreamed answers. */
  message: WireDelta;
  finish_reason: string;
  logprobs: { content: WireLogprob[] };
  usage: WireUsage;
  error: unknown;
}

interface WireDelta {
  content: unknown;
  refusal: string;
  reasoning_content: unknown;
  reasoning: unknown;
  reasoning_details: WireReasoningDetail[];
  tool_calls: WireCall[];
  function_call: { name: string; arguments: unknown };
  annotations: WireAnnotation[];
  images: { image_url: unknown }[];
  audio: { id: string; data: string; transcript: string; expires_at: number };
}

interface WireCall {
  index: number;
  id: string;
  function: { name: string; arguments: unknown };
  custom: { name: string; input: string };
  extra_content: unknown;
}

interface WireReasoningDetail {
  text: string;
  summary: string;
  data: string;
  signature: string;
  format: string;
}

interface WireCitation {
  url: string;
  title: string;
  content: string;
  start_index: number;
  end_index: number;
}

/** A citation under its own name, or with its members beside the type. */
interface WireAnnotation extends WireCitation {
  url_citation: WireCitation;
}

/** A token's log probability, with the alternatives on its first level. */
export interface WireLogprob {
  token: string;
  logprob: number;
  bytes: number[];
  top_logprobs: WireLogprob[];
}

interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: {
    cached_tokens: number;
    cache_write_tokens: number;
    cache_creation_input_tokens: number;
    cache_creation_tokens: number;
    cache_creation: WireWrites;
    audio_tokens: number;
    image_tokens: number;
  };
  completion_tokens_details: {
    reasoning_tokens: number;
    image_tokens: number;
    audio_tokens: number;
    accepted_prediction_tokens: number;
    rejected_prediction_tokens: number;
  };
  /** Compatible providers' names for what the details contain. */
  prompt_cache_hit_tokens: number;
  cached_tokens: number;
  num_cached_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_created_input_tokens: number;
  cache_creation: WireWrites;
  reasoning_tokens: number;
  /** Tokens of the pages that the answer cites. */
  citation_tokens: number;
  /** Searches the provider ran. */
  num_search_queries: number;
}

interface WireWrites {
  ephemeral_1h_input_tokens: number;
}
