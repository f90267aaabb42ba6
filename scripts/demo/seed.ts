import { randomUUID } from 'node:crypto';
import { createRawKey } from '../../src/core/api-key.ts';
import type { Catalogue } from '../../src/core/catalogue.ts';
import { parseUsd, zeroUsd } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import type { Account } from '../../src/ports/accounts.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { plainSettings } from '../../src/ports/workspaces.ts';
import { type Caller, drawCall } from './draw-call.ts';
import { createRandom } from './random.ts';

const day = 86_400_000;

/** An account of the demonstration with its keys. */
export interface DemoAccount {
  readonly account: Account;
  readonly managementKey: string;
  /** Raw keys by name. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface SeedOptions {
  readonly catalogue: Catalogue;
  /** Unix milliseconds; the traffic is of the fourteen days before. */
  readonly now: number;
  readonly calls: number;
  readonly seed?: number;
}

interface KeyRow {
  readonly name: string;
  readonly share: number;
  readonly models: readonly string[];
  readonly prompt: number;
  readonly cached: number;
  readonly app: string;
  readonly limit?: string;
  readonly reset?: 'daily' | 'weekly' | 'monthly';
  readonly extra?: Partial<ApiKey>;
}

const accounts: readonly {
  readonly name: string;
  readonly bought: string;
  readonly keys: readonly KeyRow[];
}[] = [
  {
    name: 'Acme',
    bought: '500',
    keys: [
      {
        name: 'web-assistant',
        share: 0.34,
        models: ['acme/atlas-4', 'acme/atlas-4-mini', 'initech/quill-reason'],
        prompt: 9_000,
        cached: 0.85,
        app: 'Web Assistant',
        limit: '120',
        reset: 'monthly',
      },
      {
        name: 'ci-bot',
        share: 0.2,
        models: ['acme/atlas-4-mini', 'initech/quill-tools', 'umbra/kestrel-9b'],
        prompt: 4_000,
        cached: 0.5,
        app: 'CI',
        limit: '5',
        reset: 'daily',
      },
      {
        name: 'support-search',
        share: 0.16,
        models: ['globex/ibis-flash', 'globex/ibis-large'],
        prompt: 1_800,
        cached: 0.2,
        app: 'Support',
      },
      {
        name: 'nightly-summaries for the quarterly report of the whole organisation (do not delete)',
        share: 0.06,
        models: ['globex/ibis-large', 'acme/atlas-4'],
        prompt: 30_000,
        cached: 0.1,
        app: 'Reports',
        limit: '40',
        reset: 'weekly',
      },
      { name: 'intern-2025', share: 0, models: [], prompt: 0, cached: 0, app: '', extra: { disabled: true } },
    ],
  },
  {
    name: 'Globex Research',
    bought: '200',
    keys: [
      {
        name: 'notebooks',
        share: 0.14,
        models: ['initech/quill-reason', 'acme/atlas-4', 'globex/ibis-large'],
        prompt: 6_000,
        cached: 0.4,
        app: 'Notebooks',
        limit: '60',
        reset: 'monthly',
      },
    ],
  },
  {
    name: 'Initech Labs',
    bought: '50',
    keys: [
      {
        name: 'prototype',
        share: 0.1,
        models: ['umbra/kestrel-9b', 'globex/ibis-flash'],
        prompt: 1_200,
        cached: 0,
        app: 'Prototype',
      },
    ],
  },
];

/** Fills an empty database: three accounts with keys, credits and two weeks of calls, through the same stores as real use. */
export async function seedDemo(storage: Storage, options: SeedOptions): Promise<readonly DemoAccount[]> {
  const { made, callers } = await addAccounts(storage, options.now);
  const drawn = drawCalls(callers, options);
  for (let start = 0; start < drawn.length; start += 200) {
    await Promise.all(drawn.slice(start, start + 200).map((call) => storage.ledger.settle(call)));
  }
  return made;
}

type DemoCaller = Caller & { readonly share: number };

/** Adds the accounts with their keys; who calls is returned too. */
export async function addAccounts(
  storage: Storage,
  now: number,
): Promise<{ readonly made: readonly DemoAccount[]; readonly callers: readonly DemoCaller[] }> {
  const made: DemoAccount[] = [];
  const callers: DemoCaller[] = [];
  for (const [index, row] of accounts.entries()) {
    const account = {
      ...newAccount(row.name, 'prepaid', now - 60 * day + index, 'organization'),
      contentLogging: index === 0,
    };
    await storage.accounts.create(account);
    if (index === 0) {
      await addWorkspace(storage, account, now);
      await addPeople(storage, account, now);
    }
    const owner = { accountId: account.id, createdAt: now - 45 * day };
    const managementKey = createRawKey();
    await storage.keys.create(
      newKey(managementKey, { ...owner, kind: 'management', name: 'Operations', workspaceId: null }),
    );
    const keys: Record<string, string> = {};
    for (const one of row.keys) {
      const raw = createRawKey();
      const key = newKey(raw, {
        ...owner,
        kind: 'inference',
        name: one.name,
        workspaceId: account.defaultWorkspaceId,
        ...(one.limit === undefined ? {} : { limit: parseUsd(one.limit), limitReset: one.reset ?? null }),
        ...one.extra,
      });
      await storage.keys.create(key);
      keys[one.name] = raw;
      if (one.share > 0) callers.push({ ...one, key });
    }
    await buyCredits(storage, account, row.bought, now);
    made.push({ account, managementKey, keys });
  }
  return { made, callers };
}

async function addWorkspace({ workspaces }: Storage, { id }: Account, now: number): Promise<void> {
  await workspaces.create({
    ...plainSettings,
    id: research,
    accountId: id,
    name: 'Research',
    slug: 'research',
    createdAt: now - 30 * day,
    updatedAt: null,
    createdBy: null,
  });
}

const research = 'b1946ac9-2fca-4d1e-9a0a-0f6d3c1e7a55';

/** Members, one of them in the second workspace, and budgets of the first. */
async function addPeople(
  { members, budgets }: Storage,
  { id, defaultWorkspaceId }: Account,
  now: number,
): Promise<void> {
  const createdAt = now - 40 * day;
  for (const [userId, firstName, role] of [
    ['user_ada', 'Ada', 'org:admin'],
    ['user_ben', 'Ben', 'org:member'],
  ] as const) {
    const email = `${firstName.toLowerCase()}@acme.example`;
    await members.add({ accountId: id, userId, email, firstName, lastName: null, role, createdAt });
  }
  await members.join([
    { id: randomUUID(), workspaceId: research, userId: 'user_ada', role: 'org:admin', createdAt },
  ]);
  if (defaultWorkspaceId === null) return;
  for (const [interval, limit] of [
    ['daily', '60'],
    ['monthly', '900'],
  ] as const) {
    const times = { createdAt, updatedAt: createdAt };
    const budget = { id: randomUUID(), workspaceId: defaultWorkspaceId, interval, limit: parseUsd(limit) };
    await budgets.put({ ...budget, ...times }, undefined, () => {});
  }
}

async function buyCredits({ ledger }: Storage, { id }: Account, amount: string, now: number): Promise<void> {
  const entry = { accountId: id, fee: zeroUsd, expiresAt: null, relatedId: null, createdBy: 'demo' };
  await ledger.append({
    ...entry,
    id: randomUUID(),
    type: 'purchase',
    amount: parseUsd(amount),
    countsAsPurchase: true,
    externalRef: 'invoice-1',
    note: null,
    createdAt: now - 20 * day,
  });
}

/**
 * Calls in the order of their ends: few at night and at weekends, one incident of three hours. Each is drawn with
 * numbers of its own, and every key has a call that failed and one that was cancelled within the last hour: what pages show does
 * not hang on the hour of the start.
 */
export function drawCalls(callers: readonly DemoCaller[], { catalogue, now, calls, seed = 7 }: SeedOptions) {
  const trouble = { from: now - 2.4 * day, to: now - 2.4 * day + 3 * 3_600_000 };
  const drawn = Array.from({ length: calls }, (_, at) => {
    const random = createRandom(seed + at);
    const settledAt = drawMoment(now, random);
    const isTroubled = settledAt >= trouble.from && settledAt < trouble.to;
    return drawCall(drawCaller(callers, random), settledAt, { catalogue, random, isTroubled });
  });
  const recent = callers.flatMap((caller, at) =>
    (['failed', 'cancelled'] as const).map((end, which) => {
      const random = createRandom(seed - 1 - 2 * at - which);
      const settledAt = now - 60_000 * (5 + 7 * at + 3 * which);
      return drawCall(caller, settledAt, { catalogue, random, isTroubled: false, end });
    }),
  );
  return [...drawn, ...recent].sort((one, other) => one.settledAt - other.settledAt);
}

function drawMoment(now: number, random: () => number): number {
  for (;;) {
    const moment = Math.floor(
      now - 60_000 - (14 * day * (1 - Math.sqrt(1 - 0.9 * random()))) / (1 - Math.sqrt(0.1)),
    );
    const date = new Date(moment);
    const hour = date.getUTCHours();
    const busy = hour >= 7 && hour < 19 ? 1 : 0.25;
    const weekend = date.getUTCDay() % 6 === 0 ? 0.45 : 1;
    if (random() < busy * weekend) return moment;
  }
}

function drawCaller<Row extends { readonly share: number }>(rows: readonly Row[], random: () => number): Row {
  let left = random() * rows.reduce((sum, { share }) => sum + share, 0);
  for (const row of rows) {
    left -= row.share;
    if (left <= 0) return row;
  }
  throw new Error('the demonstration has no keys');
}
