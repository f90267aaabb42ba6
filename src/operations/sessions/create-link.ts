import type { Uses } from '../services.ts';
import { newToken, tokenHash } from './open-session.ts';

/**
 * Makes a link that logs in once with a management key, and returns its code (docs/spec/dashboard.md#login).
 * @param life Milliseconds until it expires.
 */
export async function createLink(
  keyHash: string,
  life: number,
  { storage, clock }: Uses<'sessions', 'clock'>,
): Promise<string> {
  const code = newToken();
  const now = clock.now();
  await storage.sessions.createLink({ codeHash: tokenHash(code), keyHash, expiresAt: now + life }, now);
  return code;
}

/** Milliseconds a link works where nothing else is asked. */
export const usualLinkLife = 15 * 60_000;

/** The address that logs in. Its code is in the fragment, which browsers send to nobody. */
export function loginAddress(url: string, code: string): string {
  return `${url.replace(/\/$/, '')}/#login=${code}`;
}
