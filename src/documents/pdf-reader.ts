import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { isolatedTask } from '../isolation/isolated-task.ts';
import type { PdfJob, PdfOutcome } from './read-pdf.ts';

/** Who asks for a PDF to be read, and how long that may take. */
export interface PdfReading {
  /** Milliseconds it may take, without the wait for a process; 30 seconds by default. */
  readonly time?: number;
  /** The account that asks. */
  readonly owner: string;
  /** Aborted when its text is not wanted any more. */
  readonly signal?: AbortSignal;
}

/** Reads PDFs. Never fails: what went wrong is the outcome. */
export type ReadPdf = (job: PdfJob, reading: PdfReading) => Promise<PdfOutcome>;

const usualTime = 30_000;
const task = isolatedTask<PdfJob, PdfOutcome>(import.meta.url, './read-pdf', 'readPdf');

/** Makes what reads PDFs in child processes, because they are strangers' programs (docs/spec/plugins.md#file-parser). */
export function createPdfReader(processes: Pick<IsolatedProcesses, 'run'>): ReadPdf {
  return async (job, { time = usualTime, owner, signal }) => {
    const run = { time, owner, bytes: job.bytes.length, ...(signal && { signal }) };
    const outcome = await processes.run(task, job, run);
    if ('result' in outcome) return outcome.result;
    return { problem: outcome.problem === 'failed' ? 'broken' : outcome.problem };
  };
}
