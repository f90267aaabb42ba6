import { countTokens } from '../util/count-tokens.ts';
import type { Draft } from './draft.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { splitTurns } from './turns.ts';

/** Estimates are wrong by a few percent (docs/token-estimates.md), so only this part of a context is used. */
const countedOn = 0.93;
/** The part of a context reserved for an output without a limit, and the maximum reserved. */
const outputShare = 0.25;
const usualOutput = 4096;

/**
 * Drops middle turns of a conversation that is too long (docs/spec/requests.md#truncation): the oldest except the
 * first, then the first, then early steps of the newest. Instructions, system messages and the end of the newest turn
 * stay. Calls and their outputs are dropped together. Tokens are estimated; without a known context nothing is dropped.
 */
export function shorten(draft: Draft): void {
  if (draft.emulationOf('truncation.auto') === undefined) return;
  draft.change({ truncation: 'disabled' });
  const room = roomFor(draft);
  if (room === undefined) return;
  const { items, tools, instructions, format } = draft.request;
  const sizes = items.map(estimateTokens);
  let size = estimateTokens(instructions ?? '') + countTokens(JSON.stringify({ tools, format }));
  for (const tokens of sizes) size += tokens;
  if (size <= room) return;
  const dropped = new Set<number>();
  for (const passage of splitTurns(items)) {
    if (size <= room) break;
    for (const { place } of passage) {
      dropped.add(place);
      size -= sizes[place] ?? 0;
    }
  }
  if (dropped.size === 0) return;
  draft.change({ items: items.filter((_item, place) => !dropped.has(place)) });
  const count = dropped.size === 1 ? '1 item' : `${dropped.size} items`;
  draft.noteField('input', 'emulated', `${count} left out of the middle of the conversation`);
}

/** The number of tokens that the input may have. */
function roomFor({ request, destination: { endpoint, model } }: Draft): number | undefined {
  const context = endpoint.contextLength ?? model.contextLength;
  if (context === undefined) return undefined;
  const usual = Math.min(endpoint.maxCompletionTokens ?? usualOutput, usualOutput);
  return (
    context * countedOn - (request.maxOutputTokens ?? Math.min(usual, Math.floor(context * outputShare)))
  );
}
