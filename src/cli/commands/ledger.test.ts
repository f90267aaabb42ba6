import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';
import { openStorage } from '../../storage/open-storage.ts';

test('a difference of the ledger becomes an alert of the day, once, where alerts are configured', async () => {
  const { run, folder } = await workplace('alerts: { webhook: "http://127.0.0.1:9/hook" }\n');
  const id = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  await run('credits', 'grant', '--amount', '5');
  const file = `${folder}/.headgate/headgate.db`;
  const storage = await openStorage(`sqlite:${file}`);
  try {
    assert.equal((await run('ledger', 'verify')).code, 0);
    assert.deepEqual(await storage.alerts.raisedFor(['ledger']), []);
    const database = new DatabaseSync(file);
    database
      .prepare('update account_totals set entries_total = entries_total + 1 where account_id = ?')
      .run(id);
    database.close();
    for (let verified = 0; verified < 2; verified += 1) {
      const { code, err } = await run('ledger', 'verify');
      assert.equal(code, 1);
      assert.match(err, /differs from its entries/);
    }
    const due = await storage.alerts.take(Date.now() + 1e12, Date.now() + 1e12);
    const { type, data } = JSON.parse(due?.body ?? '');
    assert.deepEqual([type, data.differences > 0], ['ledger.difference', true]);
    assert.equal((await storage.alerts.raisedFor(['ledger'])).length, 1);
  } finally {
    await storage.close();
  }
});
