import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomCatalogue } from '../routing/random-catalogue.ts';
import { chooserOf } from '../routing/random-numbers.ts';
import { randomBody } from '../routing/random-situations.ts';
import { runIn } from '../support/command-line.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const requests = 150;

test('the route explainer of the dashboard and `route explain` agree on random requests', async (t) => {
  const models = [...randomCatalogue(1, 60, 8).models.values()];
  const gateway = await startGateway({ models });
  t.after(() => gateway.stop());
  const browser = new TestBrowser(gateway.url);
  await browser.login(gateway.key);
  const folder = temporaryFolder();
  const env = { HEADGATE_URL: gateway.url, HEADGATE_API_KEY: gateway.key };
  const openStorage = () => Promise.reject(new Error('no database is needed'));
  const counts = { planned: 0, refused: 0, targets: 0, unknown: 0 };
  for (let seed = 0; seed < requests; seed += 1) {
    const body = { input: 'Hi', ...randomBody(chooserOf(seed), models, ['acme/nobody']) };
    await writeFile(join(folder, 'body.json'), JSON.stringify(body));
    const [shown, command] = await Promise.all([
      browser.call('POST', '/ui/api/responses/plan', body),
      runIn(folder, ['--json', 'route', 'explain', '--file', 'body.json'], { env, openStorage }),
    ]);
    const about = `request ${seed}: ${JSON.stringify(body)}`;
    if (shown.status !== 200) {
      assert.equal(command.code, 1, about);
      assert.ok(command.err.includes(shown.body.error.message), `${about}: ${command.err}`);
      counts.unknown += 1;
      continue;
    }
    assert.deepEqual(JSON.parse(command.out), shown.body, about);
    counts[shown.body.plan.length > 0 ? 'planned' : 'refused'] += 1;
    counts.targets += shown.body.plan.length;
  }
  // The requests are of no use when nearly all of them fail alike.
  assert.ok(counts.planned > requests / 2 && counts.targets > 3 * counts.planned, JSON.stringify(counts));
  assert.ok(counts.refused > 0 && counts.unknown > 0, JSON.stringify(counts));
});
