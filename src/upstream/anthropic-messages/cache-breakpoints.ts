import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { CacheControl } from '../../core/request.ts';
import { encodeCacheControl } from './encode-content.ts';
import type { Conversation } from './encode-conversation.ts';

/** How many breakpoints the dialect takes. */
export const mostBreakpoints = 4;

/**
 * Puts the request's own breakpoint at its end and leaves the dialect no more breakpoints than it takes: the last
 * four, which hold the longest prefixes. What is kept for an hour keeps its beginnings as long: the dialect refuses a
 * long life after a short one.
 * @param control The request's own breakpoint.
 * @param marksEnd Whether the dialect finds the last block by itself, told so at the top of the body.
 * @returns what is told there.
 */
export function settleBreakpoints(
  { system, messages }: Conversation,
  control: CacheControl | undefined,
  marksEnd: boolean,
): Wire.CacheControlEphemeral | undefined {
  const blocks = [...system, ...messages.flatMap((turn) => turn.content)].filter(canCarry);
  const last = blocks.at(-1);
  // The end is not marked twice: with two lives the dialect refuses it.
  const own = last?.cache_control ? undefined : encodeCacheControl(control);
  if (!marksEnd && last !== undefined && own !== undefined) last.cache_control = own;
  const atTop = marksEnd ? own : undefined;
  const marked = blocks.filter((block) => block.cache_control);
  const surplus = marked.length + (atTop === undefined ? 0 : 1) - mostBreakpoints;
  for (const block of marked.splice(0, Math.max(0, surplus))) block.cache_control = undefined;
  const marks = [...marked.map((block) => block.cache_control), atTop];
  const lastLong = marks.findLastIndex((mark) => mark?.ttl === '1h');
  for (const mark of marks.slice(0, Math.max(0, lastLong))) if (mark) mark.ttl = '1h';
  return atTop;
}

function canCarry<Block extends { readonly type: string }>(
  block: Block,
): block is Exclude<Block, Wire.ThinkingBlockParam | Wire.RedactedThinkingBlockParam> {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking';
}
