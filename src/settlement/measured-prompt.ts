import {
  type CanonicalRequest,
  type ContentPart,
  chatOf,
  type EncryptedPart,
  type Item,
  type Tool,
} from '../core/request.ts';
import { countTokensOf } from '../util/count-tokens.ts';
import { pushAll } from '../util/push-all.ts';

/** How large a request's prompt is: each figure is worked out when first asked, and once, for all who ask. */
export class MeasuredPrompt {
  readonly request: CanonicalRequest;
  #atMost: number | undefined;
  #tokens: number | undefined;
  #media: MediaCount | undefined;
  #bytes: number | undefined;

  constructor(request: CanonicalRequest) {
    this.request = request;
  }

  /** Tokens it has at most; costs next to nothing. */
  get atMost(): number {
    this.#atMost ??= inputTokensAtMost(this.request);
    return this.#atMost;
  }

  /** Tokens as estimated (docs/spec/money.md#estimates). */
  get tokens(): number {
    this.#tokens ??= estimateInputTokens(this.request);
    return this.#tokens;
  }

  /** Bytes of all its texts in UTF-8: no tokenizer makes more tokens of them. */
  get bytes(): number {
    this.#bytes ??= textBytesOf(this.request);
    return this.#bytes;
  }

  /** What it shows a model besides text. */
  get media(): MediaCount {
    this.#media ??= inputMedia(this.request);
    return this.#media;
  }
}

/** What a request shows a model besides text, in messages and in tool outputs. */
interface MediaCount {
  readonly pictures: number;
  /** Files and videos. */
  readonly documents: number;
  readonly sounds: number;
}

/** Counts a request's media by the piece. */
export function inputMedia(request: CanonicalRequest): MediaCount {
  let pictures = 0;
  let documents = 0;
  let sounds = 0;
  for (const item of chatOf(request)?.items ?? []) {
    for (const { kind } of partsOf(item)) {
      if (kind === 'image') pictures += 1;
      else if (kind === 'file' || kind === 'video') documents += 1;
      else if (kind === 'audio') sounds += 1;
    }
  }
  return { pictures, documents, sounds };
}

function partsOf(item: Item): readonly { readonly kind: string }[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}

/** What a message, a call, an output or an input takes besides its text. */
const tokensOfItem = 4;

/**
 * About how many tokens a request's input is (docs/spec/money.md#estimates), for admission and for when the
 * provider reports none. Counts text, tools and formats; media and sealed blobs are not counted.
 */
export function estimateInputTokens(request: CanonicalRequest): number {
  return countedTokens(request) + countTokensOf(textsOf(request));
}

/**
 * Never fewer than `estimateInputTokens` says, at next to no cost: no token is shorter than a byte, no UTF-16 unit
 * longer than three.
 */
export function inputTokensAtMost(request: CanonicalRequest): number {
  let units = countedTokens(request);
  for (const text of textsOf(request)) units += text.length;
  return 3 * units;
}

/** Bytes of all texts of a request in UTF-8, with a few for each item, and its inputs that are tokens. */
function textBytesOf(request: CanonicalRequest): number {
  let bytes = countedTokens(request);
  for (const text of textsOf(request)) bytes += Buffer.byteLength(text);
  return bytes;
}

/** What a request takes besides its texts: a few tokens for each item or input, and inputs that are tokens. */
function countedTokens(request: CanonicalRequest): number {
  if (request.kind === 'chat') return request.items.length * tokensOfItem;
  let tokens = request.inputs.length * tokensOfItem;
  for (const input of request.inputs) if (typeof input !== 'string') tokens += input.length;
  return tokens;
}

function textsOf(request: CanonicalRequest): readonly string[] {
  if (request.kind === 'embedding') return request.inputs.filter((input) => typeof input === 'string');
  const { instructions, items, tools, format } = request;
  const texts = [instructions ?? ''];
  for (const item of items) pushTexts(item, texts);
  if (tools.length > 0) texts.push(JSON.stringify(tools));
  if (format.kind === 'json_schema') texts.push(JSON.stringify(format.schema));
  return texts;
}

function pushTexts(item: Item, texts: string[]): void {
  switch (item.kind) {
    case 'message':
    case 'agent_message':
      pushTextsOfParts(item.content, texts);
      return;
    case 'call_output':
      pushTextsOfParts(item.output, texts);
      return;
    case 'call':
      texts.push(item.name, item.input);
      return;
    case 'reasoning':
      pushAll(texts, item.content);
      pushAll(texts, item.summary);
      return;
    case 'hosted':
    case 'service':
      texts.push(JSON.stringify(item.fields, withoutBlobs));
      return;
    case 'additional_tools':
      texts.push(JSON.stringify(item.tools satisfies readonly Tool[]));
      return;
    case 'configuration_update':
    case 'compaction':
  }
}

function pushTextsOfParts(parts: readonly (ContentPart | EncryptedPart)[], texts: string[]): void {
  for (const part of parts) if ('text' in part && part.text !== undefined) texts.push(part.text);
}

/** Members of hosted items that hold pictures. */
const blobs: ReadonlySet<string> = new Set(['result', 'image_url', 'imageB64', 'screenshotB64']);

function withoutBlobs(key: string, value: unknown): unknown {
  return blobs.has(key) && typeof value === 'string' ? undefined : value;
}
