import type { CanonicalRequest, ContentPart, Item } from '../core/request.ts';

const bytesPerToken = 4;

/** A rough count of tokens for text of so many UTF-8 bytes (accounts-and-limits 11, step 2). */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/**
 * A rough count of a request's input tokens, for when the provider reports none. Counts text, tool
 * definitions and formats; media are not counted.
 */
export function estimateInputTokens(request: CanonicalRequest): number {
  let bytes = Buffer.byteLength(request.instructions ?? '');
  for (const item of request.items) bytes += itemBytes(item);
  if (request.tools.length > 0) bytes += Buffer.byteLength(JSON.stringify(request.tools));
  if (request.format.kind === 'json_schema')
    bytes += Buffer.byteLength(JSON.stringify(request.format.schema));
  return tokensOfBytes(bytes);
}

function itemBytes(item: Item): number {
  switch (item.kind) {
    case 'message':
      return partsBytes(item.content);
    case 'call_output':
      return partsBytes(item.output);
    case 'call':
      return Buffer.byteLength(item.name) + Buffer.byteLength(item.input);
    case 'reasoning':
      return [...item.content, ...item.summary].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  }
}

function partsBytes(parts: readonly ContentPart[]): number {
  let bytes = 0;
  for (const part of parts) if ('text' in part) bytes += Buffer.byteLength(part.text);
  return bytes;
}
