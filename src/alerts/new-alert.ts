import { createId } from '../core/ids.ts';
import type { AlertPlace, NewAlert } from '../ports/alerts.ts';
import { isoTime } from '../util/iso-time.ts';
import type { JsonObject } from '../util/json.ts';
import { dayLength } from '../util/utc-windows.ts';

/** How long places of a window that is over are remembered, in milliseconds: clocks of processes differ. */
export const afterwards = 2 * dayLength;

/** An alert as it is stored and sent. @param place What it is raised for. */
export function newAlert(
  place: AlertPlace,
  {
    type,
    now,
    expiresAt,
    data,
  }: {
    readonly type: string;
    readonly now: number;
    readonly expiresAt: number | null;
    readonly data: JsonObject;
  },
): NewAlert {
  const body = JSON.stringify({ type, timestamp: isoTime(now), data });
  return { ...place, id: createId('evt_'), type, body, createdAt: now, expiresAt };
}
