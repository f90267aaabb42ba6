import { countTokens } from '../core/count-tokens.ts';
import type { CanonicalRequest, ContentPart, EncryptedPart, Item, Tool } from '../core/request.ts';

/** What a message, a call or an output takes besides its text. */
const tokensOfItem = 4;

/**
 * About how many tokens a request's input is (accounts-and-limits 11, step 2), for admission and for when the
 * provider reports none. Counts text, tools and formats; media and sealed blobs are not counted.
 */
export function estimateInputTokens(request: CanonicalRequest): number {
  let tokens = countTokens(request.instructions ?? '');
  for (const item of request.items) tokens += tokensOfItem + countTokens(textOfItem(item));
  if (request.tools.length > 0) tokens += countTokens(JSON.stringify(request.tools));
  if (request.format.kind === 'json_schema') tokens += countTokens(JSON.stringify(request.format.schema));
  return tokens;
}

/**
 * Never fewer than `estimateInputTokens` says, at next to no cost: no token is shorter than a byte, no UTF-16 unit
 * longer than three.
 */
export function inputTokensAtMost(request: CanonicalRequest): number {
  let units = request.instructions?.length ?? 0;
  for (const item of request.items) units += tokensOfItem + textOfItem(item).length;
  if (request.tools.length > 0) units += JSON.stringify(request.tools).length;
  if (request.format.kind === 'json_schema') units += JSON.stringify(request.format.schema).length;
  return 3 * units;
}

function textOfItem(item: Item): string {
  switch (item.kind) {
    case 'message':
    case 'agent_message':
      return textOfParts(item.content);
    case 'call_output':
      return textOfParts(item.output);
    case 'call':
      return item.name + item.input;
    case 'reasoning':
      return [...item.content, ...item.summary].join('');
    case 'hosted':
    case 'service':
      return JSON.stringify(item.fields, withoutBlobs);
    case 'additional_tools':
      return JSON.stringify(item.tools satisfies readonly Tool[]);
    case 'configuration_update':
    case 'compaction':
      return '';
  }
}

function textOfParts(parts: readonly (ContentPart | EncryptedPart)[]): string {
  let text = '';
  for (const part of parts) if ('text' in part) text += part.text;
  return text;
}

/** Members of hosted items that hold pictures. */
const blobs: ReadonlySet<string> = new Set(['result', 'image_url', 'imageB64', 'screenshotB64']);

function withoutBlobs(key: string, value: unknown): unknown {
  return blobs.has(key) && typeof value === 'string' ? undefined : value;
}
