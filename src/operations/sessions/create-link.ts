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
