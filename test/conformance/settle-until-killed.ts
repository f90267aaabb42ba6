import { appendFileSync } from 'node:fs';
import { openStorage } from '../../src/storage/open-storage.ts';
import { generation, usd } from './fixtures.ts';

/*
 * Run by the durability suite: `settle-until-killed.ts URL PREFIX FILE` settles without end and writes each id
 * to the file once its promise has resolved, just as a server would send the last byte of an answer. A file, not
 * standard output: what waits for a slow reader there would be lost.
 */
const [url = '', prefix = '', file = ''] = process.argv.slice(2);
const callers = 8;

const storage = await openStorage(url);
await Promise.all(Array.from({ length: callers }, (_, caller) => settleForever(caller)));

async function settleForever(caller: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const id = `${prefix}-${caller}-${count}`;
    await storage.ledger.settle(
      generation({ id, accountId: 'org_crash', keyHash: `crash-${caller}`, cost: usd(count + 1) }),
    );
    appendFileSync(file, `${id}\n`);
  }
}
