import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { hasMoreValues } from '../../util/json.ts';
import { headerText, type ResponseHeaders } from './retry-hint.ts';

/**
 * Turns the bytes of one 2xx answer into deltas, which it appends to `into`. An exception ends the answer.
 */
export interface AnswerBody {
  /** @param chunks the reads of one turn of the event loop, in order. */
  push(chunks: readonly Buffer[], into: Delta[]): void;
  /** Called when the provider has sent everything. */
  end(into: Delta[]): void;
  /** Nobody reads any more: gives back the room of what is buffered. */
  leave(): void;
}

/** Whether a body is encoded, although every request forbids it. */
export function isCompressed(headers: ResponseHeaders): boolean {
  return (headerText(headers, 'content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity';
}

/**
 * The body that the headers of a 2xx answer announce: server-sent events, binary messages, one JSON value, or
 * something else.
 * @param streamed whether events were requested, because some providers state no type, or plain text.
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

/** More than any answer contains, even with twenty alternatives for each token. */
const maxValues = 4_000_000;

/**
 * Refuses JSON with more values than any answer has, before parsing it.
 * @throws HeadgateError `provider_failed`.
 */
export function refuseTooManyValues(json: Buffer | string): void {
  // Fast path: a shorter text cannot contain so many values.
  if (json.length <= maxValues) return;
  if (!hasMoreValues(typeof json === 'string' ? Buffer.from(json) : json, maxValues)) return;
  throw new HeadgateError('provider_failed', `The provider sent more than ${maxValues} values at once.`);
}
