import type { CanonicalRequest, ContentPart, EncryptedPart, Item, Tool } from '../core/request.ts';
import { countTokensOf } from '../util/count-tokens.ts';
import { pushAll } from '../util/push-all.ts';

/** What a message, a call or an output takes besides its text. */
const tokensOfItem = 4;

/**
 * About how many tokens a request's input is (docs/spec/money.md#estimates), for admission and for when the
 * provider reports none. Counts text, tools and formats; media and sealed blobs are not counted.
 */
export function estimateInputTokens(request: CanonicalRequest): number {
  return request.items.length * tokensOfItem + givenTokens(request) + countTokensOf(textsOf(request));
}

/**
 * Never fewer than `estimateInputTokens` says, at next to no cost: no token is shorter than a byte, no UTF-16 unit
 * longer than three.
 */
export function inputTokensAtMost(request: CanonicalRequest): number {
  let units = request.items.length * tokensOfItem + givenTokens(request);
  for (const text of textsOf(request)) units += text.length;
  return 3 * units;
}

/** Bytes of all texts of a request in UTF-8, with a few for each item, and its inputs that are tokens. */
export function textBytesOf(request: CanonicalRequest): number {
  let bytes = request.items.length * tokensOfItem + givenTokens(request);
  for (const text of textsOf(request)) bytes += Buffer.byteLength(text);
  return bytes;
}

/** Inputs of a call for vectors may be tokens instead of texts. */
function givenTokens({ embedding }: CanonicalRequest): number {
  if (embedding?.tokens === undefined) return 0;
  let tokens = 0;
  for (const some of embedding.tokens.values()) tokens += some.length;
  return tokens;
}

function textsOf({ instructions, items, tools, format }: CanonicalRequest): readonly string[] {
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
