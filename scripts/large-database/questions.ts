import { randomUUID } from 'node:crypto';
import { nanoFromInteger } from '../../src/core/money.ts';
import { CallerDirectory } from '../../src/pipeline/caller-directory.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { dayLength, utcDay } from '../../src/util/utc-windows.ts';
import { accountCount, keyCount } from './call-statement.ts';
import { dashboardQuestions } from './dashboard-questions.ts';
import { accountId, keyHash } from './load.ts';

/** A query that Headgate runs on its database. */
export interface Question {
  readonly name: string;
  /** Runs it for the sample of a number: a different account, key or call each. */
  readonly ask: (storage: Storage, sample: number) => Promise<unknown>;
  /** How often it runs on a cold cache, and how often after that; default: all samples. */
  readonly times?: { readonly cold: number; readonly warm: number };
}

/** Reads everything, so only the first run is cold. */
const wholeDatabase = { cold: 1, warm: 5 };

/**
 * Every query of Headgate on the records and counters of calls, through its stores.
 * @param samples How often each runs.
 * @param ids Ids of calls, at least as many.
 */
export function questions(samples: number, ids: readonly string[]): readonly Question[] {
  const account = (sample: number) => accountId(Math.floor((sample * accountCount) / samples));
  const key = (sample: number) => keyHash(Math.floor((sample * keyCount) / samples));
  return [
    { name: 'a call by its id', ask: ({ generations }, sample) => generations.find(ids[sample] ?? '') },
    {
      name: 'what a key spent (day, week, month, ever)',
      ask: ({ ledger }, sample) => ledger.keySpend(key(sample), Date.now()),
    },
    {
      name: 'first use of a key',
      ask: async (storage, sample) => {
        const caller = await new CallerDirectory(storage.callers, systemClock).find(key(sample));
        if (caller === undefined) throw new Error('The key is unknown.');
      },
    },
    {
      name: 'free calls of an account today',
      ask: ({ generations }, sample) =>
        generations.countFree(account(sample), utcDay(Date.now()) * dayLength),
    },
    { name: 'a balance', ask: ({ ledger }, sample) => ledger.balance(account(sample)) },
    { name: 'the entries of an account', ask: ({ ledger }, sample) => ledger.entries(account(sample)) },
    {
      name: 'keys of an account',
      ask: ({ keys }, sample) =>
        keys.list({
          accountId: account(sample),
          workspaceId: workspaceOf(sample, samples),
          includeDisabled: true,
          offset: 0,
          limit: 100,
        }),
    },
    ...[1, 30, 365].map((days) => activity(days, account)),
    {
      name: "a key's activity, 30 days",
      ask: ({ activity }, sample) =>
        activity.activity({
          ...lastDays(30),
          accountId: accountId(Math.floor((sample * keyCount) / samples) % accountCount),
          keyHash: key(sample),
          byWorkspace: true,
        }),
    },
    ...([1, 7, 30, 365] as const).flatMap((days) =>
      (['model', 'key', 'day'] as const).map((by) => ({
        name: `usage of all by ${by}, ${days} ${days === 1 ? 'day' : 'days'}`,
        times: wholeDatabase,
        ask: ({ generations }: Storage) => generations.usage(lastDays(days).firstDay * dayLength, by),
      })),
    ),
    {
      name: 'usage of all by model, 24 hours (part of a day call by call)',
      times: wholeDatabase,
      ask: ({ generations }) => generations.usage(Date.now() - dayLength, 'model'),
    },
    ...dashboardQuestions(account),
    {
      name: 'a charge, alone',
      ask: ({ ledger }, sample) => ledger.settle(newCall(Math.floor((sample * keyCount) / samples))),
    },
    {
      name: '1,000 charges at once, all',
      ask: ({ ledger }) =>
        Promise.all(
          Array.from({ length: 1000 }, () => Math.floor(keyCount * Math.random() ** 3)).map((number) =>
            ledger.settle(newCall(number)),
          ),
        ),
    },
  ];
}

/** Runs last: it takes long and checks what the others left. */
export const verification: Question = {
  name: '`ledger verify`',
  times: { cold: 1, warm: 0 },
  ask: async ({ ledger }) => {
    const differences = await ledger.verify();
    if (differences.length > 0)
      throw new Error(`${differences.length} differences, the first: ${differences[0]?.subject}`);
  },
};

function activity(days: number, account: (sample: number) => string): Question {
  return {
    name: `an account's activity, ${days} ${days === 1 ? 'day' : 'days'}`,
    ask: ({ activity }, sample) =>
      activity.activity({ ...lastDays(days), accountId: account(sample), byWorkspace: false }),
  };
}

function lastDays(days: number) {
  const today = utcDay(Date.now());
  return { firstDay: today - days + 1, lastDay: today };
}

/** A call of a key that ends now, with the record of a real one. */
function newCall(keyNumber: number): Generation {
  const now = Date.now();
  const usage = { uncachedInput: 1200, cacheRead: 400, output: 300, reasoning: 0 };
  const served = { provider: 'provider-1', model: 'orion/model-1', tag: 'provider-1' };
  return {
    id: `gen-${Math.floor(now / 1000)}-${randomUUID().replaceAll('-', '').slice(0, 22)}`,
    requestId: randomUUID(),
    accountId: accountId(keyNumber % accountCount),
    keyHash: keyHash(keyNumber),
    workspaceId: null,
    createdAt: now - 2000,
    settledAt: now,
    requestedModel: served.model,
    model: served.model,
    provider: served.provider,
    endpointTag: served.tag,
    upstreamId: `chatcmpl-${randomUUID()}`,
    userAgent: 'node',
    isByok: false,
    streamed: true,
    cancelled: false,
    finishReason: 'stop',
    nativeFinishReason: 'stop',
    latency: 300,
    generationTime: 1700,
    usage,
    usageEstimated: false,
    insured: false,
    cost: nanoFromInteger(500_000),
    listCost: nanoFromInteger(500_000),
    attempts: [{ ...served, status: 200, latency: 300 }],
  };
}

function workspaceOf(sample: number, samples: number): string {
  const account = Math.floor((sample * accountCount) / samples);
  return `00000000-0000-4000-8000-${String(account).padStart(12, '0')}`;
}
