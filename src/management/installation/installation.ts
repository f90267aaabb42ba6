import { HeadgateError } from '../../core/errors.ts';
import { keptAlerts, type RaisedAlert } from '../../ports/alerts.ts';
import type { ProcessReport } from '../../ports/processes.ts';
import type { DiskUse } from '../../ports/storage.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { OperatingActor, OperatorActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { changedSecret, makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';

/** Milliseconds without a report after which a process counts as lost. */
export const lostAfter = 20_000;

/** What the list needs. */
export type ProcessServices = Uses<'processes', 'clock'> & {
  readonly ownProcess: { own(): Promise<ProcessReport> };
};

/** A process, and what is known of it from outside. */
export interface ListedProcess {
  readonly report: ProcessReport;
  /** Whether it is the one that answers. */
  readonly isOwn: boolean;
  /** Whether it reports nothing any more, though it did not end in order. */
  readonly isLost: boolean;
}

/** Every process of the installation, the one that started first at the top. The one that answers is as it is now. */
export async function listProcesses(
  _actor: OperatingActor,
  { storage, clock, ownProcess }: ProcessServices,
): Promise<readonly ListedProcess[]> {
  const [own, stored] = await Promise.all([ownProcess.own(), storage.processes.list()]);
  const now = clock.now();
  const others = stored.filter(({ id }) => id !== own.id);
  return [own, ...others]
    .toSorted((left, right) => left.startedAt - right.startedAt || (left.id < right.id ? -1 : 1))
    .map((report) => ({
      report,
      isOwn: report === own,
      isLost: report !== own && now - report.seenAt > lostAfter,
    }));
}

/** A process as JSON. */
export function showProcess({ report, isOwn, isLost }: ListedProcess) {
  const { id, host, pid, version, startedAt, seenAt, figures } = report;
  return {
    id,
    host,
    pid,
    version,
    started_at: isoTime(startedAt),
    seen_at: isoTime(seenAt),
    is_own: isOwn,
    is_lost: isLost,
    figures:
      figures === undefined
        ? null
        : {
            node: figures.node,
            state: figures.state,
            dependencies: figures.dependencies,
            running: figures.running,
            streams: figures.streams,
            waiting_charges: figures.waitingCharges,
            database_ms: rounded(figures.databaseTime),
            resident_bytes: figures.memory.resident,
            heap_used_bytes: figures.memory.heapUsed,
            heap_limit_bytes: figures.memory.heapLimit,
            cpu: rounded(figures.cpu) ?? 0,
            event_loop_busy: rounded(figures.loopBusy) ?? 0,
            event_loop_delay_ms: figures.loopDelay,
          },
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}

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

/** What takes room as JSON, in bytes. */
export function showDiskUse({ database, files, spool, free }: DiskUse) {
  return {
    database_bytes: database,
    files_bytes: files,
    ...(spool !== undefined && { spool_bytes: spool }),
    ...(free !== undefined && { free_bytes: free }),
  };
}

/** What a rotation did. */
interface RotatedSecrets {
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
  services: UsesToChange<'credentials' | 'destinations' | 'contents'>,
): Promise<RotatedSecrets> {
  const { credentials, destinations, contents } = services.storage;
  const stores = [credentials, destinations, contents];
  const some = await Promise.all(stores.map((one) => one.sealedUnderOthers('', 1)));
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
  return { ...done, hadSecrets: some.flat().length > 0 };
}
