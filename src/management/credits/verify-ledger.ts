import { HeadgateError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { Job } from '../../ports/jobs.ts';
import type { LedgerDifference, LedgerEntry } from '../../ports/ledger.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { OperatingActor, OperatorActor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { showEntry } from './show.ts';

const kind = 'ledger.verify';
/** Milliseconds between two reports of a running job. */
const reportEvery = 2_000;
/** Milliseconds without a report after which a job is lost. */
const lostAfter = 30_000;
/** Differences that a job names; all of them are counted. */
const namedDifferences = 1_000;

/** What came of a verification, as JSON. */
interface Verification {
  readonly differences: readonly {
    readonly subject: string;
    readonly kept_nano: string;
    readonly recomputed_nano: string;
  }[];
  readonly count: number;
}

type VerifyServices = Uses<'ledger' | 'jobs', 'clock'> & {
  /** Called with the reason when a job fails. */
  readonly onJobFailed: (id: string, failure: unknown) => void;
};

/**
 * Recomputes the whole ledger beside everything else and returns the job that does it: the running one where there is one
 * (docs/spec/dashboard.md#jobs).
 */
export async function beginVerification(actor: OperatingActor, services: VerifyServices): Promise<Job> {
  const { jobs } = services.storage;
  const now = services.clock.now();
  const job: Job = {
    id: createId('job_'),
    kind,
    state: 'running',
    done: 0,
    steps: 1,
    result: null,
    createdBy: actor.kind === 'key' ? actor.label : 'command line',
    createdAt: now,
    updatedAt: now,
  };
  if (await jobs.begin(job, now - lostAfter)) {
    void verify(actor, job, services);
    return job;
  }
  return (await jobs.latest(kind)) ?? job;
}

/** A job. @throws HeadgateError `not_found`. */
export async function readJob(
  _actor: OperatingActor,
  id: string,
  { storage, clock }: Uses<'jobs', 'clock'>,
): Promise<Job> {
  const job = await storage.jobs.find(id);
  if (job === undefined) throw new HeadgateError('not_found', 'There is no such job.');
  return seenAt(job, clock.now());
}

/** The verification that began last; undefined without any. */
export async function latestVerification(
  _actor: OperatingActor,
  { storage, clock }: Uses<'jobs', 'clock'>,
): Promise<Job | undefined> {
  const job = await storage.jobs.latest(kind);
  return job && seenAt(job, clock.now());
}

/** A job as JSON. */
export function showJob({ id, kind, state, done, steps, result, ...job }: Job) {
  return {
    id,
    kind,
    state,
    done,
    steps,
    // What `verify` wrote.
    result: result === null ? null : (JSON.parse(result) as Verification),
    created_by: job.createdBy,
    created_at: isoTime(job.createdAt),
    updated_at: isoTime(job.updatedAt),
  };
}

/** A job whose process reports nothing any more is lost, also before another one begins. */
function seenAt(job: Job, now: number): Job {
  return job.state === 'running' && job.updatedAt < now - lostAfter ? { ...job, state: 'lost' } : job;
}

async function verify(actor: OperatingActor, job: Job, services: VerifyServices): Promise<void> {
  const { jobs } = services.storage;
  let steps = { done: 0, steps: job.steps };
  const report = (state: Job['state'], result: string | null) =>
    jobs.report(job.id, { state, ...steps, result, updatedAt: services.clock.now() });
  const timer = setInterval(() => report('running', null).catch(() => {}), reportEvery);
  timer.unref();
  try {
    const found = await verifyLedger(actor, services, (done, of) => {
      steps = { done, steps: of };
    });
    steps = { ...steps, done: steps.steps };
    await report('done', JSON.stringify(showDifferences(found)));
  } catch (failure) {
    services.onJobFailed(job.id, failure);
    await report('failed', null).catch(() => {});
  } finally {
    clearInterval(timer);
  }
}

function showDifferences(found: readonly LedgerDifference[]): Verification {
  return {
    differences: found.slice(0, namedDifferences).map(({ subject, kept, recomputed }) => ({
      subject,
      kept_nano: String(kept),
      recomputed_nano: String(recomputed),
    })),
    count: found.length,
  };
}

/** Recomputes every kept total from the entries and returns each difference. Changes nothing. */
export function verifyLedger(
  _actor: OperatingActor,
  { storage }: Uses<'ledger'>,
  onStep?: (done: number, of: number) => void,
): Promise<readonly LedgerDifference[]> {
  return storage.ledger.verify(onStep);
}

/** Books the expiry of all credits past their time, in every account, and returns the new entries. */
export function expireCredits(
  actor: OperatorActor,
  services: UsesToChange<'ledger'>,
): Promise<readonly LedgerEntry[]> {
  return makeChange(
    {
      actor,
      action: 'credits.expire',
      after: (expired: readonly LedgerEntry[]) => ({ expired: expired.map(showEntry) }),
      outdates: { kind: 'callers' },
    },
    services,
    ({ ledger }) => ledger.expire(),
  );
}
