import type { DashboardSession } from '../../ports/dashboard-sessions.ts';
import type { KeyActor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { shownId } from './open-session.ts';

/** Ends sessions of one key (docs/spec/dashboard.md#sessions). */
export async function endSessions(
  actor: KeyActor,
  sessions: readonly DashboardSession[],
  services: UsesToChange<'sessions'>,
): Promise<void> {
  for (const session of sessions) {
    await makeChange(
      { actor, action: 'session.delete', id: shownId(session), accountId: actor.account.id },
      services,
      (stores) => stores.sessions.delete(session.id),
    );
  }
}
