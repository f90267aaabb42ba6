import type { CanonicalChat } from '../../core/request.ts';
import { countCharacters } from '../../schema/checker.ts';
import { malformed } from '../../schema/fault.ts';
import type { RequestHeaders } from '../public-dialect.ts';

const sessionIdLimit = 256;

const mostBetas = 32;

/**
 * The names of unreleased features by vendor (docs/spec/routing.md#preferences); what is no name of one is passed over.
 */
export function betasOf({ betas }: RequestHeaders): CanonicalChat['betas'] {
  if (betas === undefined) return undefined;
  const named = Object.entries(betas).map(([vendor, text]) => {
    const words = text.split(',').map((word) => word.trim());
    return [vendor, words.filter((word) => /^[\w.-]{1,100}$/.test(word)).slice(0, mostBetas)] as const;
  });
  return Object.fromEntries(named.filter(([, words]) => words.length > 0));
}

/** Whether the request shall be refused rather than altered for a provider: `true` in any case, and nothing else. */
export function wantsStrict(headers: RequestHeaders): boolean {
  return headers.strict?.trim().toLowerCase() === 'true';
}

/** Whether routing metadata is wanted: `enabled` in any case, and nothing else. */
export function wantsMetadata(headers: RequestHeaders): boolean {
  return headers.metadata?.trim().toLowerCase() === 'enabled';
}

/**
 * The session a request belongs to; undefined when neither body nor header names one.
 * @throws HeadgateError `invalid_request` when the header counts and is longer than 256 characters.
 */
export function sessionOf(inBody: string | undefined, headers: RequestHeaders): string | undefined {
  const id = inBody || headers.sessionId || undefined;
  if (id === undefined || id === inBody || id.length <= sessionIdLimit) return id;
  const length = countCharacters(id);
  if (length > sessionIdLimit) {
    throw malformed('x-session-id', `must be at most ${sessionIdLimit} characters, got ${length}`);
  }
  return id;
}
