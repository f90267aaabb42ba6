import type { WireMessage } from './wire-message.ts';

/**
 * Joins neighbouring messages of one side, except those with calls, for providers that require alternating turns
 * starting with the user.
 */
export function alternateTurns(messages: readonly WireMessage[]): WireMessage[] {
  const turns: WireMessage[] = [];
  for (const message of messages) {
    const joined = join(turns.at(-1), message);
    if (joined === undefined) turns.push(message);
    else turns[turns.length - 1] = joined;
  }
  const first = turns.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  if (turns[first]?.role === 'assistant') {
    turns.splice(first, 0, { role: 'user', content: '(the assistant begins)' });
  }
  return turns;
}

function join(first: WireMessage | undefined, second: WireMessage): WireMessage | undefined {
  if (first?.role === 'user' && second.role === 'user') {
    return { role: 'user', content: joinContent(first.content, second.content) };
  }
  if (first?.role !== 'assistant' || second.role !== 'assistant' || hasMore(first) || hasMore(second)) {
    return undefined;
  }
  return { role: 'assistant', content: joinContent(first.content ?? '', second.content ?? '') };
}

function hasMore(message: WireMessage): boolean {
  return Object.keys(message).length > 2;
}

type Content<Part> = string | readonly (Part | { readonly type: 'text'; readonly text: string })[];

function joinContent<Part>(
  first: Content<Part>,
  second: Content<Part>,
): string | (Part | { readonly type: 'text'; readonly text: string })[] {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf<Part>(
  content: Content<Part>,
): readonly (Part | { readonly type: 'text'; readonly text: string })[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
