import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  account,
  generation,
  ledgerEntry,
  type OpenStorage,
  storedAccount,
  usd,
  wednesday,
} from './fixtures.ts';

/** What every Ledger must do with entries: what is added to accounts, and taken from them otherwise than by calls. */
export function describeLedgerEntries(open: OpenStorage): void {
  test('entries add up to the balance, and purchases are told apart', async (t) => {
    const storage = await open(t);
    const { ledger } = storage;
    const accountId = await storedAccount(storage);
    const append = (change: Parameters<typeof ledgerEntry>[1]) =>
      ledger.append(ledgerEntry(accountId, change));
    assert.equal(await append({ type: 'purchase', amount: usd(100), countsAsPurchase: true }), true);
    assert.equal(await append({ type: 'grant', amount: usd(20) }), true);
    assert.equal(await append({ type: 'grant', amount: usd(3), countsAsPurchase: true }), true);
    assert.equal(await append({ type: 'expiry', amount: usd(-10) }), true);
    assert.equal(await append({ type: 'refund', amount: usd(7), countsAsPurchase: true }), true);
    await ledger.settle(generation({ accountId, cost: usd(200) }));
    assert.deepEqual(await ledger.balance(accountId), {
      balance: -80n,
      purchasedTotal: 103n,
      spentTotal: 200n,
    });
    assert.deepEqual(await ledger.verify(), []);
  });

  test('a reference is booked once for each account; entries without one are never repeats', async (t) => {
    const storage = await open(t);
    const { ledger } = storage;
    const [first, second] = [await storedAccount(storage), await storedAccount(storage)];
    const invoice = { externalRef: 'invoice-1', amount: usd(10) };
    const together = Array.from({ length: 10 }, () => ledger.append(ledgerEntry(first, invoice)));
    assert.equal((await Promise.all(together)).filter(Boolean).length, 1);
    const repeat = { ...invoice, note: 'again', createdBy: 'somebody else', createdAt: wednesday + 1 };
    assert.equal(await ledger.append(ledgerEntry(first, repeat)), false);
    assert.equal(await ledger.append(ledgerEntry(second, invoice)), true);
    assert.equal(await ledger.append(ledgerEntry(second, { amount: usd(1) })), true);
    assert.equal(await ledger.append(ledgerEntry(second, { amount: usd(1) })), true);
    assert.equal((await ledger.balance(first)).balance, 10n);
    assert.equal((await ledger.balance(second)).balance, 12n);
    assert.deepEqual(await ledger.verify(), []);
  });

  test('a reference that comes back with another content is refused, saying what differs', async (t) => {
    const { accounts, ledger } = await open(t);
    const owner = account();
    await accounts.create(owner);
    const booked = { externalRef: 'invoice-2', amount: usd(10) };
    await ledger.append(ledgerEntry(owner.id, booked));
    for (const [change, names] of [
      [{ amount: usd(11) }, /another amount: give another reference/],
      [{ type: 'purchase', countsAsPurchase: true }, /another type and kind \(bought or not\): /],
      [{ fee: usd(1) }, /another fee: /],
      [{ expiresAt: wednesday + 1000 }, /another expiry: /],
    ] as const) {
      const refused = ledger.append(ledgerEntry(owner.id, { ...booked, ...change }));
      await assert.rejects(refused, { code: 'unprocessable', message: names });
    }
    assert.equal((await ledger.balance(owner.id)).balance, 10n);
  });

  test('entries are kept as they were given, in order', async (t) => {
    const { accounts, ledger } = await open(t);
    const owner = account();
    await accounts.create(owner);
    const plain = ledgerEntry(owner.id);
    const full = ledgerEntry(owner.id, {
      type: 'purchase',
      amount: usd(9_007_199_254_740_993n),
      fee: usd(800_000_000),
      countsAsPurchase: true,
      expiresAt: Date.UTC(2200, 0),
      externalRef: 'invoice-3',
      relatedId: plain.id,
      note: 'Zoë',
      createdBy: 'operator',
      createdAt: wednesday - 5,
    });
    await ledger.append(plain);
    await ledger.append(full);
    assert.deepEqual(await ledger.entries(owner.id), [plain, full]);
    assert.deepEqual(await ledger.entries('org_none'), []);
  });

  test('entries appended together are booked together or not at all', async (t) => {
    const { accounts, ledger } = await open(t);
    const [from, to] = [account(), account()];
    await accounts.create(from);
    await accounts.create(to);
    const transfer = (reference: string, receiver: string) => [
      ledgerEntry(from.id, { type: 'transfer', amount: usd(-3), externalRef: reference }),
      ledgerEntry(receiver, { type: 'transfer', amount: usd(3), externalRef: reference }),
    ];
    assert.equal(await ledger.append(...transfer('t1', to.id)), true);
    assert.equal(await ledger.append(...transfer('t1', to.id)), false);
    await assert.rejects(ledger.append(...transfer('t2', 'org_none')), { code: 'not_found' });
    assert.equal((await ledger.balance(from.id)).balance, -3n);
    assert.equal((await ledger.balance(to.id)).balance, 3n);
    assert.deepEqual(await ledger.verify(), []);
  });

  test('an entry that cannot be booked changes nothing', async (t) => {
    const storage = await open(t);
    const accountId = await storedAccount(storage);
    const entry = ledgerEntry(accountId, { amount: usd(10) });
    assert.equal(await storage.ledger.append(entry), true);
    // The same id again, but another reference: no repeat, so a mistake.
    await assert.rejects(storage.ledger.append({ ...entry, externalRef: 'other' }));
    await assert.rejects(storage.ledger.append(ledgerEntry('org_none')), { code: 'not_found' });
    assert.equal((await storage.ledger.balance(accountId)).balance, 10n);
    assert.equal((await storage.ledger.balance('org_none')).balance, 0n);
    assert.deepEqual(await storage.ledger.verify(), []);
  });

  test('entries that come to more than the books can hold are refused, saying so', async (t) => {
    const storage = await open(t);
    const accountId = await storedAccount(storage);
    const half = 2n ** 62n;
    for (const amount of [half, half - 1n]) {
      await storage.ledger.append(ledgerEntry(accountId, { amount: usd(amount) }));
    }
    const refusal = { type: 'unprocessable', message: /more than 9223372036\.854775807 USD/ };
    await assert.rejects(storage.ledger.append(ledgerEntry(accountId, { amount: usd(1) })), refusal);
    assert.equal((await storage.ledger.balance(accountId)).balance, 2n ** 63n - 1n);
    // Purchases are counted apart from what was taken back of them.
    await storage.ledger.append(ledgerEntry(accountId, { amount: usd(-1n * half) }));
    const purchase = { amount: usd(half), countsAsPurchase: true };
    await storage.ledger.append(ledgerEntry(accountId, purchase));
    await storage.ledger.append(ledgerEntry(accountId, { amount: usd(-1n * half) }));
    await assert.rejects(storage.ledger.append(ledgerEntry(accountId, purchase)), refusal);
    assert.deepEqual(await storage.ledger.verify(), []);
  });

  test('an account without movements has no money', async (t) => {
    const { ledger } = await open(t);
    assert.deepEqual(await ledger.balance('org_none'), { balance: 0n, purchasedTotal: 0n, spentTotal: 0n });
  });

  test('appending and settling at once mix no transactions', async (t) => {
    const storage = await open(t);
    const { ledger } = storage;
    const accountId = await storedAccount(storage);
    const work: Promise<unknown>[] = [];
    for (let round = 0; round < 50; round += 1) {
      work.push(ledger.append(ledgerEntry(accountId, { amount: usd(3), externalRef: `ref-${round % 25}` })));
      work.push(ledger.settle(generation({ accountId, keyHash: 'mixed', cost: usd(1) })));
      work.push(ledger.balance(accountId));
      // Fails inside its transaction, which is rolled back; nobody else's work may go with it.
      work.push(storage.accounts.create(account({ id: accountId })).catch(() => undefined));
    }
    await Promise.all(work);
    assert.deepEqual(await ledger.balance(accountId), { balance: 25n, purchasedTotal: 0n, spentTotal: 50n });
    assert.deepEqual(await ledger.verify(), []);
  });
}
