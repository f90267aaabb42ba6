import assert from 'node:assert/strict';

const times = 8;

/**
 * Asserts that work grows about as its size does, by the time of the processor that this thread spends on the size and
 * on an eighth of it: eight times as much is expected, and sixty-four where each thing is compared with each other. What
 * else the machine does, and how fast it is, changes neither number much; the best of three tries counts.
 */
export function assertGrowsEvenly(size: number, work: (size: number) => void): void {
  const found: number[] = [];
  while (found.length < 3) {
    const few = spentOn(() => work(size / times));
    found.push(spentOn(() => work(size)) / few);
    if (found.some((growth) => growth < 3 * times)) return;
  }
  assert.fail(
    `${times} times as much took ${found.map((growth) => growth.toFixed(1)).join(', ')} times as long`,
  );
}

function spentOn(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
