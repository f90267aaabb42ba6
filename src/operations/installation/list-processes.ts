import type { ProcessReport } from '../../ports/processes.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { OperatingActor } from '../actor.ts';
import type { Uses } from '../services.ts';

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
