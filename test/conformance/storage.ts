import type { Clock } from '../../src/ports/clock.ts';
import { describeAccounts } from './accounts.ts';
import { describeActivity } from './activity.ts';
import { describeAlerts } from './alerts.ts';
import { describeAllAccounts } from './all-accounts.ts';
import { describeAudit } from './audit.ts';
import { describeByokFees, describeByokFeesOfProcesses } from './byok-fees.ts';
import { describeCachedHits } from './cached-hits.ts';
import { describeCallNotes } from './call-notes.ts';
import { describeCallers } from './callers.ts';
import { describeChangeNews } from './change-news.ts';
import { describeContent } from './content.ts';
import { describeCredentials } from './credentials.ts';
import { describeCreditExpiry } from './credit-expiry.ts';
import { describeDashboardSessions } from './dashboard-sessions.ts';
import { describeDestinations } from './destinations.ts';
import { describeDurability, type MakeUrl } from './durability.ts';
import { describeFeedback } from './feedback.ts';
import { describeFiles } from './files.ts';
import type { OpenStorage } from './fixtures.ts';
import { describeGenerations } from './generations.ts';
import { describeGuardrails } from './guardrails.ts';
import { describeJobs } from './jobs.ts';
import { describeKeys } from './keys.ts';
import { describeLapsedCalls } from './lapsed-calls.ts';
import { describeLedger } from './ledger.ts';
import { describeLedgerModel } from './ledger-model.ts';
import { describeLimitCalendar } from './limit-calendar.ts';
import { describePresets } from './presets.ts';
import { describeProcesses } from './processes.ts';
import { describeRouterTraffic } from './router-traffic.ts';
import { describeUsage } from './usage.ts';
import { describeWorkspaces } from './workspaces.ts';

/** A storage engine as the suites open it. */
export interface StorageUnderTest {
  readonly name: string;
  /** Opens a migrated and empty storage, on a clock that the suite sets where it says so. */
  readonly open: (test: Parameters<OpenStorage>[0], clock?: Clock) => ReturnType<OpenStorage>;
  /** Where it keeps what it is told for other processes; left out where it keeps nothing. */
  readonly makeUrl?: MakeUrl;
}

/** What every storage must do, store by store. */
export function describeStorage({ name, open, makeUrl }: StorageUnderTest): void {
  const openNow: OpenStorage = (test) => open(test);
  describeAccounts(name, openNow);
  describeWorkspaces(name, openNow);
  describePresets(name, openNow);
  describeFiles(name, openNow);
  describeRouterTraffic(name, openNow);
  describeCachedHits(name, openNow);
  describeGuardrails(name, openNow);
  describeKeys(name, openNow);
  describeCallers(name, openNow);
  describeCredentials(name, openNow);
  describeDestinations(name, openNow);
  describeContent(name, openNow);
  describeFeedback(name, openNow);
  describeGenerations(name, openNow);
  describeActivity(name, openNow);
  describeUsage(name, openNow);
  describeAllAccounts(name, openNow);
  describeAudit(name, openNow);
  describeDashboardSessions(name, openNow);
  describeCallNotes(name, openNow);
  describeJobs(name, openNow);
  describeProcesses(name, openNow);
  describeAlerts(name, openNow);
  describeBooking({ name, open });
  if (makeUrl === undefined) return;
  describeByokFeesOfProcesses(name, makeUrl);
  describeDurability(name, makeUrl);
  describeChangeNews(name, makeUrl);
}

/** What every storage must do where it books. */
export function describeBooking({ name, open }: Omit<StorageUnderTest, 'makeUrl'>): void {
  const openNow: OpenStorage = (test) => open(test);
  describeLedger(name, openNow);
  describeLapsedCalls(name, openNow);
  describeByokFees(name, openNow);
  describeLedgerModel(name, openNow);
  describeCreditExpiry(name, (clock, test) => open(test, clock));
  describeLimitCalendar(name, (clock, test) => open(test, clock));
}
