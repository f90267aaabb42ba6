import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { CacheControl } from '../../core/request.ts';
import { encodeCacheControl } from './encode-content.ts';
import type { Conversation } from './encode-conversation.ts';

/** How many breakpoints the dialect accepts. */
export const maxBreakpoints = 4;

/** A tool, which may end a cacheable prefix. */
export interface MarkedTool {
  cache_control?: Wire.CacheControlEphemeral | null | undefined;
}

/**
 * Puts the request's own breakpoint at the end and keeps only the last four breakpoints, which cover the longest
 * prefixes. Earlier breakpoints take the longer lifetime of a later one, because the dialect refuses a long lifetime
 * after a short one.
 * @param tools They come before everything else in a prefix.
 * @param control The request's own breakpoint.
 * @param marksEnd Whether the dialect finds the last block itself, given a member at the top of the body.
 * @returns the value of that member.
 */
export function settleBreakpoints(
  tools: readonly MarkedTool[],
  { system, messages }: Conversation,
  control: CacheControl | undefined,
  marksEnd: boolean,
): Wire.CacheControlEphemeral | undefined {
  const blocks = [...system, ...messages.flatMap((turn) => turn.content)].filter(canCarry);
  const last = blocks.at(-1);
  // The end is not marked twice: the dialect refuses two different lifetimes.
  const own = last?.cache_control ? undefined : encodeCacheControl(control);
  if (!marksEnd && last !== undefined && own !== undefined) last.cache_control = own;
  const atTop = marksEnd ? own : undefined;
  const marked = [...tools, ...blocks].filter((block) => block.cache_control);
  const surplus = marked.length + (atTop === undefined ? 0 : 1) - maxBreakpoints;
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
