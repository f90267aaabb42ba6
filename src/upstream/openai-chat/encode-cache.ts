import type { CacheMark } from './encode-content.ts';

/** Limit of explicit cache marks in a request; of more, the last count. */
const maxMarks = 4;

interface Markable {
  content: unknown;
}

type MarkedPart = { readonly type?: unknown } & CacheMark;

/**
 * Puts the request's own breakpoint on the last part that can carry one, and removes the oldest marks until providers
 * accept their number (docs/spec/routing.md#cache-directives).
 */
export function markLast(messages: readonly Markable[], wanted: boolean): void {
  if (wanted) addMark(messages);
  const marked = messages.flatMap(({ content }) => partsOf(content)).filter((part) => part.cache_control);
  for (const part of marked.slice(0, -maxMarks)) delete part.cache_control;
}

function addMark(messages: readonly Markable[]): void {
  const last = messages.findLast(({ content }) => isMarkable(content));
  if (last === undefined) return;
  if (typeof last.content === 'string') last.content = [{ type: 'text', text: last.content }];
  const part = partsOf(last.content).at(-1);
  if (part) part.cache_control = { type: 'ephemeral' };
}

function isMarkable(content: unknown): boolean {
  return (typeof content === 'string' && content !== '') || partsOf(content).length > 0;
}

function partsOf(content: unknown): MarkedPart[] {
  return Array.isArray(content) ? content : [];
}
