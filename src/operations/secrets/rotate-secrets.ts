import { HeadgateError } from '../../core/errors.ts';
import type { OperatorActor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { changedSecret, makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';

/** What a rotation did. */
export interface RotatedSecrets {
  readonly rotated: number;
  readonly masterKeyId: string;
  /** Whether any secret was stored before. */
  readonly hadSecrets: boolean;
}

/**
 * Encrypts every stored credential under a new master key, while servers run.
 * @param openTools Opens what seals secrets anew.
 * @throws HeadgateError `unprocessable` when it could not be finished, with the reason.
 */
export async function rotateSecrets(
  actor: OperatorActor,
  openTools: () => Promise<{
    rotate(): Promise<{ readonly rotated: number; readonly masterKeyId: string }>;
  }>,
  services: UsesToChange<'credentials'>,
): Promise<RotatedSecrets> {
  const some = await services.storage.credentials.sealedUnderOthers('', 1);
  const tools = await openTools();
  const action = 'secrets.rotate';
  const done = await notingRefusal({ actor, action }, services, () =>
    tools.rotate().catch((error: unknown) => {
      throw new HeadgateError(
        'unprocessable',
        error instanceof Error ? error.message : 'the rotation failed',
      );
    }),
  );
  // A rotation goes on for a while beside other changes and is no transaction, so its entry follows it.
  const after = () => ({ master_key: changedSecret, rotated: done.rotated });
  await makeChange({ actor, action, after }, services, async () => undefined);
  return { ...done, hadSecrets: some.length > 0 };
}
