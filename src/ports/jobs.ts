/** Kinds of work that is asked for and looked at later. */
export type JobKind = 'ledger.verify';

/** Work that goes on after the request that began it. Times are Unix milliseconds. */
export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  /** `lost`: its process ended before the work did. */
  readonly state: 'running' | 'done' | 'failed' | 'lost';
  /** How many of how many steps are done. */
  readonly done: number;
  readonly steps: number;
  /** What came of it, JSON; null while it runs and where it failed. */
  readonly result: string | null;
  /** Who asked for it, for people to read. */
  readonly createdBy: string;
  readonly createdAt: number;
  /** When its process last reported. */
  readonly updatedAt: number;
}

/** What changes in a job. */
export type JobReport = Pick<Job, 'state' | 'done' | 'steps' | 'result' | 'updatedAt'>;

/** How many jobs are kept; the oldest make room. */
export const keptJobs = 50;

/** Keeps jobs, so that every process can tell how they stand. */
export interface JobStore {
  /**
   * Stores a job that begins. False while another one of its kind runs.
   * @param lostBefore A running job that reported nothing since then is lost, Unix milliseconds.
   */
  begin(job: Job, lostBefore: number): Promise<boolean>;
  /** Notes how a running job stands; one that has ended stays as it is. */
  report(id: string, report: JobReport): Promise<void>;
  find(id: string): Promise<Job | undefined>;
  /** The job of a kind that began last. */
  latest(kind: JobKind): Promise<Job | undefined>;
}
