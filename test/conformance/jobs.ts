import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Job, keptJobs } from '../../src/ports/jobs.ts';
import type { OpenStorage } from './fixtures.ts';

function jobOf(id: string, at: number, changes: Partial<Job> = {}): Job {
  const state = { kind: 'ledger.verify', state: 'running', done: 0, steps: 3, result: null } as const;
  return { id, ...state, createdBy: 'sk-hg…', createdAt: at, updatedAt: at, ...changes };
}

/** Work that goes on after its request (docs/spec/dashboard.md#jobs). */
export function describeJobs(name: string, open: OpenStorage): void {
  describe(`jobs: ${name}`, () => {
    test('of a kind one runs at a time, however many begin together, and its end makes room', async (t) => {
      const { jobs } = await open(t);
      const begun = await Promise.all([1, 2, 3, 4].map((n) => jobs.begin(jobOf(`j${n}`, 1_000), 0)));
      assert.equal(begun.filter(Boolean).length, 1);
      const running = await jobs.latest('ledger.verify');
      assert.deepEqual(running, jobOf(running?.id ?? '', 1_000));
      const id = running?.id ?? '';
      const report = { state: 'running', done: 1, steps: 3, result: null, updatedAt: 2_000 } as const;
      await jobs.report(id, report);
      assert.deepEqual(await jobs.find(id), { ...running, ...report });
      const end = { ...report, state: 'done', done: 3, result: '{"count":0}', updatedAt: 3_000 } as const;
      await jobs.report(id, end);
      await jobs.report(id, report);
      assert.deepEqual(await jobs.find(id), { ...running, ...end }, 'what has ended stays');
      assert.equal(await jobs.begin(jobOf('next', 4_000), 0), true);
      assert.equal((await jobs.latest('ledger.verify'))?.id, 'next');
      assert.equal(await jobs.find('none'), undefined);
    });

    test('a job that nobody reports of is lost when another one begins; the oldest make room', async (t) => {
      const { jobs } = await open(t);
      const from = 1_000_000;
      assert.equal(await jobs.begin(jobOf('dead', from), from), true);
      assert.equal(await jobs.begin(jobOf('early', from + 1), from), false);
      assert.equal(await jobs.begin(jobOf('later', from + 2), from + 1), true);
      assert.equal((await jobs.find('dead'))?.state, 'lost');
      for (let n = 0; n < keptJobs; n += 1) {
        await jobs.begin(jobOf(`many-${n}`, from + 10 + n), from + 10 + n);
      }
      assert.equal(await jobs.find('later'), undefined);
      assert.equal((await jobs.find('many-0'))?.state, 'lost');
    });
  });
}
