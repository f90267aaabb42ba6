import { randomUUID } from 'node:crypto';
import { type NanoUsd, nanoFromInteger } from '../../src/core/money.ts';
import type { Account } from '../../src/ports/accounts.ts';
import type { Destination } from '../../src/ports/destinations.ts';
import type { Generation } from '../../src/ports/generations.ts';
import { type ApiKey, plainKeySettings } from '../../src/ports/keys.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { plainSettings, type Workspace } from '../../src/ports/workspaces.ts';

/** Opens a migrated and empty storage; what it opened is closed and removed when the test is over. */
export type OpenStorage = (test: { after: (cleanUp: () => Promise<void>) => void }) => Promise<Storage>;

let counter = 0;

/** A value no other call returns. */
export function unique(prefix: string): string {
  counter += 1;
  return `${prefix}${process.pid}_${counter}`;
}

/** A key hash no other call returns: 64 hexadecimal digits. */
export function uniqueHash(): string {
  counter += 1;
  return `${counter.toString(16).padStart(8, '0')}${'0123456789abcdef'.repeat(4)}`.slice(0, 64);
}

/** 2026-11-18T13:45Z, the example of docs/spec/accounts.md#windows: a Wednesday. */
export const wednesday = Date.UTC(2026, 10, 18, 13, 45);

/** Money for a test. */
export function usd(nano: bigint | number): NanoUsd {
  return nanoFromInteger(nano);
}

/** An account no other call returns, with a default workspace of its own. */
export function account(change: Partial<Account> = {}): Account {
  const id = unique('org_');
  return {
    id,
    name: 'Acme',
    kind: 'organization',
    billingMode: 'prepaid',
    freeLimitExempt: false,
    inflightExempt: false,
    zeroRetention: false,
    contentLogging: false,
    disabled: false,
    defaultWorkspaceId: `${id}-default`,
    createdAt: wednesday,
    ...change,
  };
}

/** A key no other call returns; its account must exist before it is stored. */
export function apiKey(accountId: string, change: Partial<ApiKey> = {}): ApiKey {
  return {
    ...plainKeySettings,
    hash: uniqueHash(),
    accountId,
    workspaceId: null,
    kind: 'inference',
    name: 'Test key',
    label: 'sk-hg-v1-abc...xyz',
    disabled: false,
    limit: null,
    limitReset: null,
    includeByokInLimit: false,
    expiresAt: null,
    creatorUserId: null,
    externalUser: null,
    createdAt: wednesday,
    updatedAt: null,
    ...change,
  };
}

/** A workspace no other call returns; its account must exist before it is stored. */
export function workspace(accountId: string, change: Partial<Workspace> = {}): Workspace {
  return {
    ...plainSettings,
    id: unique('w-'),
    accountId,
    name: 'North',
    slug: unique('s-'),
    createdAt: wednesday,
    updatedAt: null,
    createdBy: null,
    ...change,
  };
}

/** A destination of the workspace `w1`, which must exist before it is stored. */
export function testDestination(change: Partial<Destination> = {}): Destination {
  return {
    id: randomUUID(),
    accountId: 'org_unknown',
    workspaceId: 'w1',
    type: 'webhook',
    name: 'Mine',
    enabled: true,
    keyHashes: null,
    samplingRate: 1,
    privacyMode: false,
    sendsCost: false,
    sendsIdentity: false,
    sendsContext: false,
    filterRules: null,
    config: { url: 'https://ours.example' },
    createdAt: wednesday,
    updatedAt: wednesday,
    ...change,
  };
}

/** A generation with only what every record has. */
export function generation(change: Partial<Generation> = {}): Generation {
  return {
    id: unique('gen-1795009500-'),
    requestId: unique('req_'),
    accountId: 'org_unknown',
    keyHash: 'unknown',
    workspaceId: null,
    createdAt: wednesday - 2000,
    settledAt: wednesday,
    requestedModel: 'acme/atlas-4',
    isByok: false,
    streamed: false,
    cancelled: false,
    usage: {},
    usageEstimated: false,
    insured: false,
    cost: usd(1000),
    listCost: usd(1000),
    attempts: [],
    ...change,
  };
}

/** A grant of 5 USD. */
export function ledgerEntry(accountId: string, change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: unique('entry_'),
    accountId,
    type: 'grant',
    amount: usd(5_000_000_000),
    fee: usd(0),
    countsAsPurchase: false,
    expiresAt: null,
    externalRef: null,
    relatedId: null,
    note: null,
    createdBy: null,
    createdAt: wednesday,
    ...change,
  };
}

/** The id of an account that is in the books. */
export async function storedAccount(storage: Storage): Promise<string> {
  const one = account();
  await storage.accounts.create(one);
  return one.id;
}
