import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { newAccount } from '../src/accounts/new-account.ts';
import { newKey } from '../src/accounts/new-key.ts';
import { hashKey } from '../src/core/api-key.ts';
import { openStorage } from '../src/storage/open-storage.ts';
import { rawKey } from './headgate.ts';

/** Keys of one account in a large installation. */
const keysOfAnAccount = 10;

type Row = Record<string, SQLInputValue>;

/**
 * Fills a new database file with the keys that `rawKey` numbers from 0, ten to an account, but each of the
 * first `inUse` with an account of its own. One account and key are stored as the gateway stores them, the
 * others are copies of their rows, so that a million take seconds.
 */
export async function fillKeys(file: string, count: number, inUse: number): Promise<void> {
  await storeFirst(file);
  const database = new DatabaseSync(file);
  // A file that is lost is made again.
  database.exec('pragma synchronous = off; pragma cache_size = -500000; begin');
  const account = firstRow(database, 'accounts');
  const key = firstRow(database, 'api_keys');
  const accounts = Math.max(inUse, Math.ceil(count / keysOfAnAccount));
  const addAccount = insertion(database, 'accounts', account);
  for (let number = 1; number < accounts; number += 1) {
    addAccount({ ...account, id: accountId(number), default_workspace_id: null });
  }
  const addKey = insertion(database, 'api_keys', key);
  // In the order of the index: a tenth of the time that random places take.
  for (const [hash, number] of hashes(count)) {
    const owner = number % accounts;
    addKey({ ...key, hash, ...(owner === 0 ? {} : { account_id: accountId(owner) }) });
  }
  database.exec('commit');
  database.close();
}

async function storeFirst(file: string): Promise<void> {
  const storage = await openStorage(`sqlite:${file}`);
  try {
    await storage.migrate();
    const now = Date.now();
    const account = newAccount('Bench', 'invoice', now);
    await storage.accounts.create(account);
    const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId, createdAt: now };
    await storage.keys.create(newKey(rawKey(0), { ...owner, kind: 'inference', name: 'Bench key' }));
  } finally {
    await storage.close();
  }
}

function accountId(number: number): string {
  return `user_bench${String(number).padStart(12, '0')}`;
}

/** All keys but the first, which is stored already. */
function hashes(count: number): readonly (readonly [string, number])[] {
  const all: (readonly [string, number])[] = [];
  for (let number = 1; number < count; number += 1) all.push([hashKey(rawKey(number)), number]);
  return all.sort(([one], [other]) => (one < other ? -1 : 1));
}

function firstRow(database: DatabaseSync, table: string): Row {
  const row = database.prepare(`select * from ${table}`).get();
  if (row === undefined) throw new Error(`nothing was stored in ${table}`);
  return row;
}

function insertion(database: DatabaseSync, table: string, like: Row): (row: Row) => void {
  const columns = Object.keys(like);
  const places = columns.map((column) => `:${column}`);
  const statement = database.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`,
  );
  return (row) => {
    statement.run(row);
  };
}
