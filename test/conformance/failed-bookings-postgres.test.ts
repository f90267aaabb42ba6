import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type ScriptedAnswer, startScriptedPostgres } from '../support/scripted-postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeFailedBookings } from './failed-bookings.ts';
import { generation, usd } from './fixtures.ts';

/** A storage on a server that answers calls of `book_charges` as it is told. */
async function openScripted(t: TestContext, first: ScriptedAnswer, dataDirectory?: string) {
  let answer: ScriptedAnswer | undefined = first;
  const booked: string[] = [];
  const statements: string[] = [];
  const server = await startScriptedPostgres(({ text, values: [lines] }) => {
    statements.push(text);
    if (text.includes('insert into byok_months')) return { rows: [{ list_cost: 0n }] };
    if (!text.includes('select book_charges(')) return undefined;
    if (answer === undefined) booked.push(...idsOf(lines ?? ''));
    return answer;
  });
  const storage = await openStorage(server.url, dataDirectory === undefined ? {} : { dataDirectory });
  t.after(async () => {
    await storage.close();
    await server.close();
  });
  return {
    storage,
    statements,
    heal: () => {
      answer = undefined;
    },
    booked: async () => [...booked],
  };
}

/** The id is the first column of a charge line. */
function idsOf(lines: string): readonly string[] {
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => /"([^"]+)"/.exec(line)?.[1] ?? line);
}

const failures: readonly (readonly [string, ScriptedAnswer])[] = [
  ['whose disk is full', { refusal: '53100' }],
  ['that has become read-only', { refusal: '25006' }],
  ['whose transactions always conflict', { refusal: '40001' }],
  ['that hangs up', 'gone'],
];
for (const [name, failure] of failures) {
  describeFailedBookings(`PostgreSQL ${name}`, (t) => openScripted(t, failure));
}

test('a charge whose value the database refuses is kept there, for ledger verify to name', async (t) => {
  const { storage, statements, heal, booked } = await openScripted(t, { refusal: '23514' });
  const kept = () => statements.filter((text) => text.startsWith('insert into held_charges')).length;
  await storage.ledger.settle(generation());
  assert.equal(kept(), 1);
  const own = generation({ isByok: true, cost: usd(1), listCost: usd(100) });
  await storage.ledger.settle(own, { feeBasisPoints: 500, monthlyAllowance: usd(0) });
  assert.equal(kept(), 2);
  assert.deepEqual(await booked(), []);
  heal();
  const next = generation();
  await storage.ledger.settle(next);
  assert.deepEqual(await booked(), [next.id]);
});

test('a charge that met an outage is kept on this machine and booked once the database is back', async (t) => {
  const { storage, heal, booked } = await openScripted(t, 'gone', temporaryFolder());
  const one = generation();
  await storage.ledger.settle(one);
  assert.deepEqual(await booked(), []);
  assert.equal(storage.waitingCharges, 1);
  heal();
  await eventually('the charge', async () => (await booked()).includes(one.id));
  await eventually('an empty journal', () => storage.waitingCharges === 0);
});
