import { HeadgateError } from '../../core/errors.ts';
import type { ActivityRow } from '../../ports/activity.ts';
import { malformed } from '../../schema/fault.ts';
import { dayName, isCalendarDay, utcDay } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

const daysShown = 30;

/** What to report. Members are read in this order, so one that throws when it is read refuses in its turn. */
export interface ActivityInput {
  /** A single UTC day as `YYYY-MM-DD`; by default the last 30 whole days. */
  readonly date?: string;
  readonly keyHash?: string;
  readonly creatorUserId?: string;
  /** The id of a workspace. */
  readonly workspace?: string;
  /** Keeps workspaces apart. */
  readonly byWorkspace: boolean;
}

/**
 * The calls of an account by day, model and endpoint (docs/spec/accounts.md#reports), newest day first.
 * @throws HeadgateError `invalid_request` for a day out of range, `not_found` for a workspace of somebody else.
 */
export async function reportActivity(
  actor: Actor,
  input: ActivityInput,
  services: Uses<'accounts' | 'activity' | 'workspaces', 'clock'>,
): Promise<readonly ActivityRow[]> {
  const { storage, clock } = services;
  const { id: accountId } = await accountOf(actor, undefined, services);
  const days = readDays(input.date, clock.now());
  const { keyHash, creatorUserId, byWorkspace } = input;
  const workspaceId = input.workspace?.toLowerCase();
  if (
    workspaceId !== undefined &&
    (await storage.workspaces.find(accountId, workspaceId))?.id !== workspaceId
  ) {
    throw new HeadgateError('not_found', 'There is no such workspace in this account.');
  }
  return storage.activity.activity({ accountId, ...days, keyHash, creatorUserId, workspaceId, byWorkspace });
}

function readDays(date: string | undefined, now: number) {
  const yesterday = utcDay(now) - 1;
  const oldest = yesterday - daysShown + 1;
  if (date === undefined) return { firstDay: oldest, lastDay: yesterday };
  const day = isCalendarDay(date) ? utcDay(Date.parse(`${date}T00:00:00Z`)) : Number.NaN;
  if (!(day >= oldest && day <= yesterday)) {
    throw malformed('date', `expected a day from ${dayName(oldest)} to ${dayName(yesterday)}, as YYYY-MM-DD`);
  }
  return { firstDay: day, lastDay: day };
}
