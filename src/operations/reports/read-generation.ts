import { HeadgateError } from '../../core/errors.ts';
import type { Generation } from '../../ports/generations.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/**
 * The record of one model call. A key of any kind reads those of its account.
 * @throws HeadgateError `not_found`.
 */
export async function readGeneration(
  actor: Actor,
  id: string,
  { storage }: Uses<'generations'>,
): Promise<Generation> {
  const found = await storage.generations.find(id);
  const seen = actor.kind === 'operator' || found?.accountId === actor.account.id;
  if (found !== undefined && seen) return found;
  throw new HeadgateError(
    'not_found',
    'There is no such generation in this account, or it is still running.',
  );
}
