import { spawn } from 'node:child_process';

/** What a test file did. */
export interface TestRun {
  readonly passed: boolean;
  readonly milliseconds: number;
}

/** Where and how a test file runs. */
export interface TestPlace {
  /** The checkout. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The processes of running test files. They are groups of their own, which a signal to this process does not reach. */
const running = new Set<number>();

/** Ends running test files together with this process when it is told to stop. */
export function stopWithSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      for (const group of running) stopGroup(group);
      process.exit(1);
    });
  }
}

/**
 * Runs one test file in a process of its own, until the first test that fails.
 *
 * @param limit Milliseconds until the file counts as failed: it hangs.
 */
export function runTest(test: string, { folder, env }: TestPlace, limit: number): Promise<TestRun> {
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', test],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
        // A test file that another one starts would report in the words of the runner.
        env: { ...process.env, ...env, NODE_TEST_CONTEXT: undefined },
      },
    );
    if (child.pid !== undefined) running.add(child.pid);
    const end = (passed: boolean) => {
      clearTimeout(timer);
      // What a test started must not outlive it.
      if (child.pid !== undefined) {
        running.delete(child.pid);
        stopGroup(child.pid);
      }
      resolve({ passed, milliseconds: performance.now() - began });
    };
    const timer = setTimeout(end, limit, false);
    let line = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      line = line.slice(line.lastIndexOf('\n') + 1) + text;
      if (/^ *not ok \d+ (?!.*# TODO)/m.test(line)) end(false);
    });
    child.once('exit', (code) => end(code === 0));
  });
}

function stopGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
