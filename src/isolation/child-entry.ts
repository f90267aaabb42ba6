import { Worker } from 'node:worker_threads';

/* Entry of the child processes that work on what strangers sent (isolated-processes.ts). */

/** What a child is asked: to call an export of a module. */
export interface ChildQuestion {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** What it reports: that the function begins, then its result, or that it failed. `resident` are bytes of memory in use. */
export type ChildReport =
  | 'begun'
  | { readonly resident: number; readonly result: unknown }
  | { readonly resident: number; readonly failed: true };

/** A child whose parent was killed while it runs a function without end notices nothing: this thread ends it. */
const watchParent = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);
`;

process.on('disconnect', () => process.exit());
process.on('message', (question: ChildQuestion) => void answer(question));
new Worker(watchParent, {
  eval: true,
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
}).unref();

async function answer({ module, name, input }: ChildQuestion): Promise<void> {
  try {
    const exported: Readonly<Record<string, (input: unknown) => unknown>> = await import(module);
    const run = exported[name];
    if (run === undefined) throw new Error(`${module} exports no ${name}.`);
    report('begun');
    const result = await run(input);
    report({ resident: process.memoryUsage.rss(), result });
  } catch {
    report({ resident: process.memoryUsage.rss(), failed: true });
  }
}

function report(message: ChildReport): void {
  process.send?.(message, undefined, undefined, (error) => {
    // The parent has ended; or the result cannot be sent, and the parent gives this process up.
    if (error !== null) process.exit(1);
  });
}
