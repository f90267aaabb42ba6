import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';

/* Functions that tests run in child processes. */

/** Returns its input. */
export function echo<Value>(value: Value): Value {
  return value;
}

/** Never returns. */
export function spin(): never {
  for (;;);
}

/** Runs for so many milliseconds. */
export function work(milliseconds: number): number {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
  return process.pid;
}

/** Takes more and more of the heap. */
export function fillHeap(): number {
  const all: unknown[] = [];
  for (;;) all.push({ at: all.length, text: `${all.length}` });
}

/** Takes more and more memory beside the heap. */
export function fillBuffers(): number {
  const all: Buffer[] = [];
  for (;;) all.push(Buffer.alloc(8 * 1024 * 1024, 1));
}

export function fail(): never {
  throw new Error('It failed.');
}

/** What a child may do beside computing: the codes of what was refused, and what it knows. */
export async function explore(
  port: number,
): Promise<{ readonly refused: unknown[]; readonly environment: string[] }> {
  const connect = () =>
    new Promise<void>((resolve, reject) => {
      createConnection(port, '127.0.0.1', resolve).once('error', reject);
    });
  const attempts = [
    () => readFileSync('/etc/passwd'),
    () => writeFileSync(new URL('./made-by-a-child', import.meta.url), ''),
    connect,
    async () => (await import('node:child_process')).execFileSync('true'),
  ];
  const refused: unknown[] = [];
  for (const attempt of attempts) {
    try {
      await attempt();
      refused.push('allowed');
    } catch (thrown) {
      refused.push((thrown as NodeJS.ErrnoException).code);
    }
  }
  return { refused, environment: Object.keys(process.env) };
}
