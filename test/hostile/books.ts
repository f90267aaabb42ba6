import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../src/util/message-of.ts';
import type { Bystander } from './bystander.ts';
import type { TargetServer } from './target-server.ts';

/** What is wrong with the money after the server has stopped; none when every answer was charged once. */
export async function auditBooks(target: TargetServer, bystander: Bystander): Promise<readonly string[]> {
  const faults: string[] = [];
  // It fails when a total differs; it also ships what a journal still holds.
  await target.command('ledger', 'verify').catch((error) => faults.push(messageOf(error)));
  const database = new DatabaseSync(target.database, { readOnly: true });
  try {
    const key = hash('sha256', target.keys.bystander);
    const rows = database.prepare('select id, cost from generations where key_hash = ?').all(key);
    const charged = rows.reduce((sum, { cost }) => sum + Number(cost), 0) / 1e9;
    const total = database.prepare('select charge from key_totals where key_hash = ?').get(key);
    if (rows.length === 0) faults.push('nobody but the attacker was charged');
    if (Math.abs(Number(total?.charge ?? 0) / 1e9 - charged) > 1e-9)
      faults.push('a charge was counted twice');
    const ids = new Set(rows.map(({ id }) => String(id)));
    const lost = bystander.answers.filter((id) => !ids.has(id));
    if (lost.length > 0) faults.push(`${lost.length} answers were not charged`);
    if (bystander.cost - charged > 1e-9) faults.push(`answers cost ${bystander.cost}, charged ${charged}`);
  } finally {
    database.close();
  }
  return faults;
}
