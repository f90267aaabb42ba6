import { DatabaseSync } from 'node:sqlite';
import { hashKey } from '../src/core/api-key.ts';
import { newAccount } from '../src/management/accounts/accounts.ts';
import { newKey } from '../src/management/keys/keys.ts';
import { openStorage } from '../src/storage/open-storage.ts';
import { rawKey } from './headgate.ts';

/** Keys per account in a large installation. */
const keysOfAnAccount = 10;
const rowsOfAStatement = 10_000;

/** A row that differs from the first of its table in these columns. */
type Difference = Readonly<Record<string, string | null>>;

/**
 * Fills a new database file with the keys that `rawKey` numbers from 0, ten to an account, except that each of the
 * first `inUse` has its own account. One account and key are stored as the gateway stores them; the others are copies
 * of their rows, so that a million take seconds.
 */
export async function fillKeys(file: string, count: number, inUse: number): Promise<void> {
  const firstAccount = await storeFirst(file);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  // A lost file is simply created again.
  database.exec('pragma synchronous = off; pragma cache_size = -500000; begin');
  const accounts = Math.max(inUse, Math.ceil(count / keysOfAnAccount));
  const accountId = (number: number) =>
    number === 0 ? firstAccount : `user_bench${String(number).padStart(12, '0')}`;
  copyFirst(
    database,
    'accounts',
    // The first account's workspace cannot be theirs.
    numbers(accounts).map((number) => ({ id: accountId(number), default_workspace_id: null })),
  );
  const keys = numbers(count).map((number) => ({
    hash: hashKey(rawKey(number)),
    account_id: accountId(number % accounts),
  }));
  // In the order of the index, because random inserts take many times as long.
  copyFirst(
    database,
    'api_keys',
    keys.sort((one, other) => (one.hash < other.hash ? -1 : 1)),
  );
  database.exec('commit');
  database.close();
}

/** From 1 to less than `count`: the first is stored already. */
function numbers(count: number): readonly number[] {
  return Array.from({ length: count - 1 }, (_, at) => at + 1);
}

/** Stores an account with the first key and returns its id. */
async function storeFirst(file: string): Promise<string> {
  const storage = await openStorage(`sqlite:${file}`);
  try {
    await storage.migrate();
    const now = Date.now();
    const account = newAccount('Bench', 'invoice', now);
    await storage.accounts.create(account);
    const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId, createdAt: now };
    await storage.keys.create(newKey(rawKey(0), { ...owner, kind: 'inference', name: 'Bench key' }));
    return account.id;
  } finally {
    await storage.close();
  }
}

/** Copies the only row of a table, whatever columns it has. */
function copyFirst(database: DatabaseSync, table: string, copies: readonly Difference[]): void {
  const first = database.prepare(`select * from ${table}`).get();
  const [different = {}] = copies;
  if (first === undefined) throw new Error(`nothing was stored in ${table}`);
  const columns = Object.keys(first);
  const selected = columns.map((column) =>
    column in different ? `value ->> '${column}'` : `first.${column}`,
  );
  const statement = database.prepare(
    `insert into ${table} (${columns.join(', ')})
     select ${selected.join(', ')} from json_each(?), (select * from ${table} limit 1) as first`,
  );
  for (let start = 0; start < copies.length; start += rowsOfAStatement) {
    statement.run(JSON.stringify(copies.slice(start, start + rowsOfAStatement)));
  }
}
