import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the default suite: the tests beside the sources in one process, because starting one for each of their files takes
 * longer than most of them do, and at the same time those of `test/`, each file in a process of its own. Prints the second
 * part once the first one is over.
 */
const parts = [
  runTests('--test-isolation=none', 'src/**/*.test.ts', 'bench/*.test.ts'),
  runTests('--test-concurrency=2', 'test/*.test.ts', 'test/!(analyzer|e2e|servers|dashboard)/**/*.test.ts'),
];
for (const part of parts) {
  part.show();
  if ((await part.ended) !== 0) process.exitCode = 1;
}

function runTests(...args: readonly string[]) {
  const command = ['--test', '--test-timeout=600000', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kept: Buffer[] = [];
  let isShown = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isShown) process.stdout.write(chunk);
    else kept.push(chunk);
  });
  return {
    /** The exit code. */
    ended: once(child, 'close').then(([code]) => Number(code ?? 1)),
    show: () => {
      isShown = true;
      for (const chunk of kept.splice(0)) process.stdout.write(chunk);
    },
  };
}
