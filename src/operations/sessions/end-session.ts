import type { DashboardSession } from '../../ports/dashboard-sessions.ts';
import type { KeyActor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { shownId } from './open-session.ts';
import type { SessionEntries } from './session-entries.ts';

/** Ends sessions of one key (docs/spec/dashboard.md#sessions). */
export async function endSessions(
  actor: KeyActor,
  sessions: readonly DashboardSession[],
  entries: SessionEntries,
  services: UsesToChange<'sessions'>,
): Promise<void> {
  for (const session of sessions) {
    const now = services.clock.now();
    const { isUnnoted, count } = entries.count('session.delete', actor.keyHash, actor.address, now);
    await makeChange(
      {
        actor,
        action: 'session.delete',
        id: shownId(session),
        accountId: actor.account.id,
        ...(count !== undefined && { after: () => ({ count }) }),
        isUnnoted,
      },
      services,
      (stores) => stores.sessions.delete(session.id),
    );
  }
}
