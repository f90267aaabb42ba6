import { shortensFor } from '../core/compression.ts';
import type { Item } from '../core/request.ts';
import { countTokens } from '../util/count-tokens.ts';
import type { JsonObject } from '../util/json.ts';
import type { Draft } from './draft.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { middleOut } from './middle-out.ts';

/** The part of a context that stays free because estimates miss, and its least size in tokens. */
const reserve = 0.02;
const leastReserve = 64;
/** The output that is expected where the request limits none. */
const usualOutput = 4096;
/** The part of a context that such an output may take at most. */
const outputShare = 0.25;

/** Whether the gateway sees to it that a conversation is not too long for the endpoint. */
export function isShortened({ request, destination }: Draft): boolean {
  const why = shortensFor(request, destination);
  if (why !== 'asked') return why === 'default';
  return request.compression === true || destination.support['truncation.auto'] !== 'native';
}

/**
 * Leaves out the middle of a conversation that is too long for the endpoint (docs/spec/plugins.md#context-compression), where
 * the request asks for it and the endpoint does not do it itself, or where its context is small. Tokens are estimated;
 * without a known context only messages are counted.
 */
export function shorten(draft: Draft): void {
  const { destination, request } = draft;
  if (!isShortened(draft)) return;
  const isAsked = shortensFor(request, destination) === 'asked';
  if (request.truncation === 'auto') draft.change({ truncation: 'disabled' });
  const { items, tools, instructions, format } = request;
  const besides = estimateTokens(instructions ?? '') + countTokens(JSON.stringify({ tools, format }));
  const kept = middleOut(items, budgetFor(draft) - besides, destination.support.mostMessages);
  if (kept === items) return;
  draft.change({ items: kept });
  // A request that asked for it is not altered: the pipeline alone reports it.
  if (!isAsked) draft.noteField('input', 'dropped', 'the middle of it, because the context is small');
  draft.entries.push({
    type: 'context_compression',
    name: 'context-compression',
    data: { engine: 'middle-out', ...countsOf(items, kept) },
  });
}

/** What was left: of a lone text in characters, else in items. */
function countsOf(items: readonly Item[], kept: readonly Item[]): JsonObject {
  const [prompt, short] = [lonePrompt(items), lonePrompt(kept)];
  return prompt === undefined || short === undefined
    ? { input_type: 'messages', original_count: items.length, compressed_count: kept.length }
    : { input_type: 'prompt', original_count: prompt.length, compressed_count: short.length };
}

function lonePrompt([item, ...others]: readonly Item[]): string | undefined {
  if (item?.kind !== 'message' || item.role !== 'user' || others.length > 0) return undefined;
  const [part, ...more] = item.content;
  return part?.kind === 'text' && more.length === 0 ? part.text : undefined;
}

/** The number of tokens that the input may have. */
function budgetFor({ request, destination: { endpoint, model } }: Draft): number {
  const context = endpoint.contextLength ?? model.contextLength;
  if (context === undefined) return Number.POSITIVE_INFINITY;
  const usual = Math.min(endpoint.maxCompletionTokens ?? usualOutput, usualOutput);
  const output = request.maxOutputTokens ?? Math.min(usual, Math.floor(context * outputShare));
  return context - output - Math.max(leastReserve, Math.ceil(context * reserve));
}
