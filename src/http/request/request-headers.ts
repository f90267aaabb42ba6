import type { IncomingHttpHeaders } from 'node:http';
import { malformed } from './fault.ts';

const sessionIdLimit = 256;

/** The headers that say something about the request itself (responses.md 10). */
export interface RequestHeaders {
  /** `x-session-id`, at most 256 characters; the body's `session_id` wins over it. */
  readonly sessionId?: string;
  /** Whether the answer shall carry routing metadata. */
  readonly wantsMetadata: boolean;
}

/**
 * Reads `x-session-id` and `x-service-metadata`; the legacy `x-service-experimental-metadata` counts only
 * when the new name is absent. Metadata is wanted for `enabled` in any case and for nothing else.
 * @param aliases Extra words for `service` in header names (README decision 1).
 * @throws HeadgateError `invalid_request` when the session id is too long.
 */
export function readRequestHeaders(headers: IncomingHttpHeaders, aliases: readonly string[]): RequestHeaders {
  const sessionId = single(headers['x-session-id']);
  if (sessionId !== undefined && sessionId.length > sessionIdLimit) {
    throw malformed('x-session-id', `must be at most ${sessionIdLimit} characters, got ${sessionId.length}`);
  }
  const prefixes = ['service', ...aliases].map((word) => `x-${word.toLowerCase()}-`);
  const names = [
    ...prefixes.map((prefix) => `${prefix}metadata`),
    ...prefixes.map((prefix) => `${prefix}experimental-metadata`),
  ];
  const first = names.map((name) => single(headers[name])).find((value) => value !== undefined);
  return { sessionId, wantsMetadata: first?.trim().toLowerCase() === 'enabled' };
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
