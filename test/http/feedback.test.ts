import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { callApi } from '../support/call-api.ts';
import { startGuarded } from '../support/guarded-gateway.ts';
import { idOf } from '../support/keeping-gateway.ts';

const path = '/generation/feedback';

type Shown = Readonly<Record<string, unknown>>;

async function begin(t: TestContext) {
  const guarded = await startGuarded();
  t.after(() => guarded.stop());
  const { gateway } = guarded;
  const give = (body: object, key = gateway.key) => callApi(gateway, key, 'POST', path, body);
  return { ...guarded, give };
}

test('feedback of a key replaces its own, and beside it stands that of others', async (t) => {
  const { ask, give, manage, gateway } = await begin(t);
  const id = idOf(await ask('Hello'));
  const taken = await give({ generation_id: id, category: 'latency', comment: 'Slow on zebra-canary' });
  assert.deepEqual([taken.status, taken.body], [200, { data: { success: true } }], taken.text);
  await give({ id, rating: -1, tags: ['slow'], comment: 'Wrong, zebra-canary' });
  const byManager = await manage('POST', path, { id, score: 0.8 });
  assert.equal(byManager.status, 200, byManager.text);
  const { body } = await manage('GET', `${path}?id=${id}`);
  const said = body.data.map(({ rating, score, verdict, category, comment, tags }: Shown) => ({
    rating,
    score,
    verdict,
    category,
    comment,
    tags,
  }));
  const own = {
    rating: -1,
    score: null,
    verdict: 'bad',
    category: null,
    comment: 'Wrong, zebra-canary',
    tags: ['slow'],
  };
  const others = { rating: null, score: 0.8, verdict: 'good', category: null, comment: null, tags: [] };
  assert.equal(said.length, 2);
  for (const one of [own, others]) assert.ok(said.some((shown: object) => isSame(shown, one)));
  const { data } = (await callApi(gateway, gateway.key, 'GET', `${path}?id=${id}`)).body;
  assert.equal(data.length, 1, 'a key of inference sees its own');
  const [stored] = await gateway.storage.feedback.of(gateway.account.id, id, gateway.keyHash);
  assert.ok(stored?.comment && !Buffer.from(stored.comment.sealed, 'base64').includes('zebra'));
  assert.ok(!gateway.log.join('').includes('zebra-canary'));
});

test('calls are filtered and summed by what was said of them', async (t) => {
  const { ask, give, manage } = await begin(t);
  const ids: string[] = [];
  for (const rating of [1, 0, -1, -1]) {
    const id = idOf(await ask('Hello'));
    ids.push(id);
    await give({ id, rating });
  }
  const silent = idOf(await ask('Hello'));
  const listed = async (rating: string) =>
    (await manage('GET', `/generations?rating=${rating}`)).body.data.map(({ id }: Shown) => id);
  assert.deepEqual(await listed('bad'), [ids[3], ids[2]]);
  assert.deepEqual(await listed('good'), [ids[0]]);
  assert.deepEqual(await listed('neither'), [ids[1]]);
  const all = (await manage('GET', '/generations')).body.data;
  const ratings = Object.fromEntries(all.map(({ id, rating }: Shown) => [id, rating]));
  assert.equal(ratings[ids[0] ?? ''], 'good');
  assert.equal(ratings[silent], null);
  const detail = await manage('GET', `/generations/${ids[2]}`);
  assert.equal(detail.body.data.row.rating, 'bad');
  await give({ id: silent, category: 'formatting' });
  const byModel = (await manage('GET', '/feedback')).body.data;
  assert.deepEqual(byModel, [{ value: 'acme/atlas-4', good: 1, neither: 1, bad: 2, total: 5 }]);
  const byCategory = (await manage('GET', '/feedback?by=category')).body.data;
  assert.deepEqual(
    byCategory.map(({ value, total }: Shown) => [value, total]),
    [
      ['', 4],
      ['formatting', 1],
    ],
  );
});

test('feedback on what is not there, of others, or that says nothing is refused', async (t) => {
  const { ask, give, manage, gateway } = await begin(t);
  const id = idOf(await ask('Hello'));
  const other = await gateway.createKey();
  assert.equal((await give({ id, rating: 1 }, other)).status, 404);
  assert.equal((await give({ id: 'gen_none', rating: 1 })).status, 404);
  for (const [body, message] of [
    [{ id }, /^rating: say what you think/],
    [{ rating: 1 }, /id/],
    [{ id, rating: 1, score: 1 }, /^score: send either this or rating/],
    [{ id, rating: 2 }, /^rating: /],
    [{ id, score: 1.5 }, /^score: /],
    [{ id, category: 'mood' }, /^category: /],
    [{ id, rating: 1, comment: 'x'.repeat(1_001) }, /^comment: /],
    [{ id, rating: 1, stars: 5 }, /stars/],
  ] as const) {
    const refused = await give(body);
    assert.equal(refused.status, 400, JSON.stringify(body));
    assert.match(refused.body.error.message, message);
  }
  await gateway.storage.accounts.update(gateway.account.id, { zeroRetention: true });
  await manage('PATCH', `/workspaces/${gateway.account.defaultWorkspaceId}`, { name: 'Default' });
  const kept = await give({ id, rating: 1, comment: 'words' });
  assert.match(kept.body.error.message, /^comment: this account has nothing kept/);
  assert.equal((await give({ id, rating: 1 })).status, 200);
});

test('a comment goes with its days, and the key of its day with the last of it', async (t) => {
  const { ask, give, manage, gateway } = await begin(t);
  const id = idOf(await ask('Hello'));
  await give({ id, rating: 1, comment: 'words' });
  const { feedback, contents } = gateway.storage;
  const [stored] = await feedback.of(gateway.account.id, id);
  const { expiresAt = 0, dayKeyId = '' } = stored?.comment ?? {};
  assert.ok(expiresAt > Date.now() + 89 * 86_400_000);
  await contents.prune(expiresAt, 10);
  assert.ok(await contents.dayKey(dayKeyId), 'while a comment needs it');
  assert.equal(await feedback.prune(expiresAt - 1, 10), 0);
  assert.equal(await feedback.prune(expiresAt, 10), 1);
  await contents.prune(expiresAt, 10);
  assert.equal(await contents.dayKey(dayKeyId), undefined);
  const { body } = await manage('GET', `${path}?id=${id}`);
  assert.deepEqual([body.data[0].rating, body.data[0].comment], [1, null]);
});

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
