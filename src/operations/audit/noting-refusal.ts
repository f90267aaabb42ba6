import { HeadgateError } from '../../core/errors.ts';
import type { RefusalLog } from '../../ports/audit.ts';
import { type Actor, auditActor } from '../actor.ts';
import type { Changeable } from '../make-change.ts';

/** An action that may be refused. */
export interface Attempt {
  readonly actor: Actor;
  readonly action: `${Changeable}.${string}`;
  /** What the actor named. */
  readonly id?: string | undefined;
}

/** Runs an operation that changes something. Records it when it is refused with a status below 500. */
export async function notingRefusal<Result>(
  { actor, action, id }: Attempt,
  { refusals }: { readonly refusals: RefusalLog },
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HeadgateError && error.status < 500) {
      const [type = ''] = action.split('.');
      await refusals.note({
        actor: auditActor(actor),
        accountId: actor.kind === 'key' ? actor.account.id : null,
        action,
        object: { type, id: id?.slice(0, longestId) ?? null, workspace_id: null },
        reason: error.type,
        requestId: (actor.kind === 'key' ? actor.requestId : undefined) ?? null,
      });
    }
    throw error;
  }
}

const longestId = 200;
