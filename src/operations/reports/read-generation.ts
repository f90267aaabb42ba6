import { HeadgateError } from '../../core/errors.ts';
import type { Generation } from '../../ports/generations.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** The record of one turn. */
export interface ReadGeneration {
  readonly generation: Generation;
  /** The other turns of its request, inner ones included; only with the first one. */
  readonly further: readonly Generation[];
}

/**
 * The record of one model call. A key of any kind reads those of its account.
 * @throws HeadgateError `not_found`.
 */
export async function readGeneration(
  actor: Actor,
  id: string,
  { storage }: Uses<'generations'>,
): Promise<ReadGeneration> {
  const found = await storage.generations.find(id);
  const seen = actor.kind === 'operator' || found?.accountId === actor.account.id;
  if (found !== undefined && seen) {
    const further = found.requestId === found.id ? await storage.generations.ofRequest(id) : [];
    return { generation: found, further };
  }
  throw new HeadgateError(
    'not_found',
    'There is no such generation in this account, or it is still running.',
  );
}
