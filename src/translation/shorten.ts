import { countTokens } from '../util/count-tokens.ts';
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

/**
 * Leaves out the middle of a conversation that is too long for the endpoint (docs/spec/plugins.md#context-compression), where
 * the request asks for it and the endpoint does not do it itself. Tokens are estimated; without a known context nothing
 * is left out.
 */
export function shorten(draft: Draft): void {
  const { compression } = draft.request;
  if (draft.emulationOf('truncation.auto') === undefined && compression !== true) return;
  draft.change({ truncation: 'disabled' });
  const { items, tools, instructions, format } = draft.request;
  const budget = budgetFor(draft);
  if (budget === undefined) return;
  const besides = estimateTokens(instructions ?? '') + countTokens(JSON.stringify({ tools, format }));
  const kept = middleOut(items, budget - besides);
  if (kept === items) return;
  draft.change({ items: kept });
  draft.entries.push({
    type: 'context_compression',
    name: 'context-compression',
    data: {
      engine: 'middle-out',
      input_type: 'messages',
      original_count: items.length,
      compressed_count: kept.length,
    },
  });
}

/** The number of tokens that the input may have. */
function budgetFor({ request, destination: { endpoint, model } }: Draft): number | undefined {
  const context = endpoint.contextLength ?? model.contextLength;
  if (context === undefined) return undefined;
  const usual = Math.min(endpoint.maxCompletionTokens ?? usualOutput, usualOutput);
  const output = request.maxOutputTokens ?? Math.min(usual, Math.floor(context * outputShare));
  return context - output - Math.max(leastReserve, Math.ceil(context * reserve));
}
