import { keptAlerts, type RaisedAlert } from '../../ports/alerts.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { OperatingActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** Alerts that are listed at most. */
const most = 200;

/** The alerts of the last seven days, newest first. */
export function listAlerts(
  _actor: OperatingActor,
  { storage, clock }: Uses<'alerts', 'clock'>,
): Promise<readonly RaisedAlert[]> {
  return storage.alerts.raisedSince(clock.now() - keptAlerts, most);
}

/** An alert as JSON. */
export function showAlert({ id, type, body, createdAt, attempts, deliveredAt, dueAt }: RaisedAlert) {
  return {
    id,
    type,
    raised_at: isoTime(createdAt),
    state: stateOf(deliveredAt, dueAt, attempts),
    attempts,
    delivered_at: isoTimeOrNull(deliveredAt),
    data: dataOf(body),
  };
}

function stateOf(deliveredAt: number | null, dueAt: number | null, attempts: number) {
  if (deliveredAt !== null) return 'delivered' as const;
  if (dueAt === null) return 'given_up' as const;
  return attempts > 0 ? ('repeating' as const) : ('waiting' as const);
}

/** What the alert is about, as it was sent. */
function dataOf(body: string): JsonObject {
  const sent: unknown = JSON.parse(body);
  return isObject(sent) && isObject(sent.data) ? sent.data : {};
}
