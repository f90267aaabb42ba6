import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parseUsd } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import type { BillingMode } from '../../src/ports/accounts.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { callApi } from '../support/call-api.ts';

/** Who asks in a run: an account with a key to manage it and some to spend with. */
export interface Party {
  readonly accountId: string;
  readonly managementKey: string;
  readonly keys: readonly { readonly raw: string; readonly hash: string }[];
  /** 1e-9 USD. */
  readonly credit: bigint;
}

const plans: readonly { readonly mode: BillingMode; readonly credit: string; readonly own: boolean }[] = [
  { mode: 'invoice', credit: '0', own: false },
  { mode: 'invoice', credit: '0', own: true },
  { mode: 'prepaid', credit: '100000', own: true },
  { mode: 'prepaid', credit: '0.5', own: false },
];

/** Makes the accounts of a run: by invoice and prepaid, some with credentials of their own, one that runs dry. */
export async function makeParties(storage: Storage): Promise<readonly (Party & { readonly own: boolean })[]> {
  const parties: (Party & { readonly own: boolean })[] = [];
  for (const { mode, credit, own } of plans) {
    const account = newAccount(mode, mode, Date.now());
    await storage.accounts.create(account);
    const amount = parseUsd(credit);
    const createdAt = Date.now();
    if (amount > 0n) await storage.ledger.append(ledgerEntry(account.id, { amount, createdAt }));
    const make = async (members: Partial<Parameters<typeof newKey>[1]>) => {
      const raw = createRawKey();
      const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId, createdAt };
      await storage.keys.create(newKey(raw, { ...owner, kind: 'inference', name: mode, ...members }));
      return { raw, hash: hashKey(raw) };
    };
    const limit = parseUsd(1_000_000);
    const keys = [
      await make({}),
      await make({ limit, limitReset: 'weekly', includeByokInLimit: true }),
      await make({ limit, limitReset: null }),
    ];
    const { raw: managementKey } = await make({ kind: 'management', workspaceId: null });
    parties.push({ accountId: account.id, managementKey, keys, credit: amount, own });
  }
  return parties;
}

/** Registers a credential for the second provider with those who have one. */
export async function registerOwn(
  gateway: { readonly url: string },
  parties: readonly (Party & { readonly own: boolean })[],
  key: string,
): Promise<void> {
  for (const { managementKey } of parties.filter(({ own }) => own)) {
    const { status, text } = await callApi(gateway, managementKey, 'POST', '/byok', {
      provider: 'deepinfra',
      key,
    });
    if (status !== 200) throw new Error(text);
  }
}
