import type { KeySecret } from '../../ports/key-secrets.ts';
import type { SqlConnection } from './database.ts';
import { sql } from './statement.ts';

/** The hash of the key that a secret belongs to; undefined for first secrets. */
export async function keyOfSecret(db: SqlConnection, secretHash: string): Promise<string | undefined> {
  const [row] = await db.rows<{ readonly key_hash: string }>(sql`
    select key_hash from key_secrets where hash = ${secretHash}`);
  return row?.key_hash;
}

/** Stores the secrets of a key. Those that are not among them any more lead to it no longer. */
export async function writeSecrets(
  connection: SqlConnection,
  keyHash: string,
  secrets: readonly KeySecret[],
): Promise<void> {
  await connection.change(sql`
    update api_keys set secrets = ${JSON.stringify(secrets)} where hash = ${keyHash}`);
  await connection.change(sql`delete from key_secrets where key_hash = ${keyHash}`);
  for (const { hash } of secrets) {
    if (hash === keyHash) continue;
    await connection.change(sql`insert into key_secrets (hash, key_hash) values (${hash}, ${keyHash})`);
  }
}
