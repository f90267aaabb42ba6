import { useEffect, useRef, useState } from 'preact/hooks';
import type { Body } from './draft.ts';
import { isRunning, runAnswer } from './run.ts';
import { nextBody, type Results, type Thread } from './thread.ts';

export interface Threads {
  readonly threads: readonly Thread[];
  readonly isRunning: boolean;
  /** Begins anew in every column. */
  readonly start: (bodies: readonly Body[]) => void;
  /** Goes on in one column with the results of its calls. */
  readonly answerCalls: (column: number, results: Results) => void;
  readonly stop: () => void;
  readonly remove: (column: number) => void;
}

/** What is said in each column. Each answer is an ordinary request; leaving the page stops them. */
export function useThreads(keyHash: string | undefined): Threads {
  const [threads, setThreads] = useState<readonly Thread[]>([]);
  const running = useRef<AbortController[]>([]);
  const stop = () => {
    for (const one of running.current) one.abort();
  };
  useEffect(() => stop, []);

  const run = (column: number, body: Body, before: Thread) => {
    const controller = new AbortController();
    running.current[column]?.abort();
    running.current[column] = controller;
    void runAnswer(body, keyHash, controller.signal, (answer) => {
      const at = running.current.indexOf(controller);
      if (at === -1) return;
      setThreads((earlier) =>
        earlier.map((thread, index) => (index === at ? [...before, { answer }] : thread)),
      );
    });
  };
  return {
    threads,
    isRunning: threads.some((thread) => thread.some(({ answer }) => isRunning(answer))),
    start: (bodies) => {
      stop();
      running.current = [];
      setThreads(bodies.map(() => []));
      for (const [column, body] of bodies.entries()) run(column, body, []);
    },
    answerCalls: (column, results) => {
      const thread = threads[column] ?? [];
      const last = thread.at(-1);
      if (last === undefined) return;
      run(column, nextBody(last.answer, results), [...thread.slice(0, -1), { ...last, results }]);
    },
    stop,
    remove: (column) => {
      running.current[column]?.abort();
      running.current.splice(column, 1);
      setThreads((earlier) => earlier.filter((_, index) => index !== column));
    },
  };
}
