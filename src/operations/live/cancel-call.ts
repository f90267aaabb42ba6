import { HeadgateError } from '../../core/errors.ts';
import type { KeyActor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';

/** A running request as far as ending it needs to know it. */
export interface EndableCall {
  readonly accountId: string;
  readonly workspaceId: string | null;
  cancel(): void;
}

/**
 * Ends a running request as if its client had left, and notes who did it.
 * @param find The request with the id, as long as it runs.
 * @throws HeadgateError `not_found` for one that does not run, or of another account.
 */
export async function cancelCall(
  actor: KeyActor,
  id: string,
  find: () => Promise<EndableCall | undefined>,
  services: UsesToChange<never>,
): Promise<void> {
  return notingRefusal({ actor, action: 'request.cancel', id }, services, async () => {
    const call = await find();
    if (call === undefined || (call.accountId !== actor.account.id && actor.operates !== true)) {
      throw new HeadgateError(
        'not_found',
        'No such request runs here or in another process that shares the same Redis.',
      );
    }
    const { accountId, workspaceId } = call;
    await makeChange(
      { actor, action: 'request.cancel', id, accountId, workspaceId },
      services,
      async () => {},
    );
    call.cancel();
  });
}
