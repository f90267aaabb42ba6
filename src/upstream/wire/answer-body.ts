import type { Delta } from '../../core/delta.ts';
import { headerText, type ResponseHeaders } from './retry-hint.ts';

/** Turns the bytes of one 2xx answer into deltas, which it appends to `into`. What it throws ends the answer. */
export interface AnswerBody {
  /** @param chunks what arrived in one turn, in its order. */
  push(chunks: readonly Buffer[], into: Delta[]): void;
  /** The provider has sent everything. */
  end(into: Delta[]): void;
  /** Nobody reads any more: gives back the room of what is buffered. */
  leave(): void;
}

/** Whether a body is compressed, although every request says that it must not be. */
export function isCompressed(headers: ResponseHeaders): boolean {
  return (headerText(headers, 'content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity';
}

/**
 * What the headers of a 2xx answer announce: server-sent events, binary messages, one whole JSON value, or something
 * else.
 * @param streamed whether events were asked for: some providers name no type, or plain text.
 */
export function announcedBody(
  headers: ResponseHeaders,
  streamed: boolean,
): 'events' | 'messages' | 'whole' | 'other' {
  if (isCompressed(headers)) return 'other';
  const [type = ''] = (headerText(headers, 'content-type') ?? '').toLowerCase().split(';', 1);
  const media = type.trim();
  if (media === 'text/event-stream') return 'events';
  if (media === 'application/vnd.amazon.eventstream') return 'messages';
  if (media === 'application/json' || media.endsWith('+json')) return 'whole';
  if (media === '' || media === 'text/plain') return streamed ? 'events' : 'whole';
  return 'other';
}
