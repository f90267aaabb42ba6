import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { AnswerNews } from '../../src/shared-state/redis/followed-answer.ts';
import { openRedisClient } from '../../src/shared-state/redis/open-redis-client.ts';
import { RedisConnection } from '../../src/shared-state/redis/redis-connection.ts';
import { RedisStoredAnswers } from '../../src/shared-state/redis/redis-stored-answers.ts';
import { appendScript, storedAnswerKeys } from '../../src/shared-state/redis/stored-answer-scripts.ts';
import { readRedisAddress } from '../../src/util/redis-address.ts';
import { unique } from '../conformance/fixtures.ts';
import { body, firstOf, knownOf, textOf } from '../conformance/stored-answers.ts';
import { openProcess, shortTimes, until, unwatched } from '../support/redis-processes.ts';
import { startRedis, type TestRedis } from '../support/start-redis.ts';

const lease = 15_000;
const keepFor = 600_000;
const lifeOfPieces = 720_000;

let redis: TestRedis;
before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

/** Appends as a maker does; tells how many pieces there are then. */
async function append(
  key: string,
  from: number,
  pieces: readonly string[],
  isWhole: boolean,
): Promise<number> {
  const keys = storedAnswerKeys(key, 'attempt');
  const lives = isWhole ? [String(keepFor), String(lifeOfPieces)] : ['', ''];
  const args = ['fingerprint', 'attempt', String(lease), ...lives, String(from), ...pieces];
  return integer(await redis.ask('EVAL', appendScript.source, String(keys.length), ...keys, ...args));
}

async function lives(key: string): Promise<readonly number[]> {
  const [claim, pieces] = storedAnswerKeys(key, 'attempt');
  return [integer(await redis.ask('PTTL', claim)), integer(await redis.ask('PTTL', pieces))];
}

function integer(reply: string): number {
  const digits = /^:(-?\d+)\r\n$/.exec(reply)?.[1];
  assert.ok(digits !== undefined, reply);
  return Number(digits);
}

test('the end of an answer that comes without what lies between keeps the claim no longer than a lease', async () => {
  assert.equal(await append('late', 0, ['head'], false), 1);
  // Sent when the reply of the first had not come, by a maker that is dead when it arrives.
  assert.equal(await append('late', 0, ['head', 'body', 'end'], true), 1);
  for (const life of await lives('late')) assert.ok(life > 0 && life <= lease, String(life));
});

test('a whole answer is kept, its pieces for longer than its claim', async () => {
  assert.equal(await append('whole', 0, ['head'], false), 1);
  assert.equal(await append('whole', 1, ['body', 'end'], true), 3);
  const [claim = 0, pieces = 0] = await lives('whole');
  assert.ok(claim > lease && claim <= keepFor);
  assert.ok(pieces > keepFor && pieces <= lifeOfPieces);
});

test('an answer that is being made here is joined here, though the server has forgotten it', async (t) => {
  const shared = await openProcess(redis.url, t);
  const key = unique('k');
  const { recorder } = firstOf(await shared.storedAnswers.claim(key, 'f', 'account'));
  recorder.write(body('once'));
  await redis.ask('FLUSHALL');
  const joined = knownOf(await shared.storedAnswers.claim(key, 'f', 'account'));
  assert.deepEqual(await shared.storedAnswers.claim(key, 'other', 'account'), { outcome: 'conflict' });
  recorder.end(false);
  assert.equal(await textOf(joined), 'once');
  firstOf(await shared.storedAnswers.claim(key, 'other', 'account')).recorder.end(false);
});

test('an answer whose maker died breaks off for who reads it, and can be made anew', async (t) => {
  const open = async () => {
    const connection = new RedisConnection(
      (onLost) => openRedisClient(readRedisAddress(redis.url), shortTimes.reply, onLost),
      shortTimes,
      unwatched,
    );
    await connection.start();
    const limits = { lifetime: 60_000, capacity: 1_000_000, lease: 4_500 };
    const answers = new RedisStoredAnswers({
      run: connection.run,
      news: new AnswerNews(),
      limits,
      local: undefined,
    });
    const close = () => {
      answers.close();
      connection.close();
    };
    t.after(async () => close());
    return { answers, close };
  };
  const [maker, other] = [await open(), await open()];
  const key = unique('k');
  const { recorder } = firstOf(await maker.answers.claim(key, 'f', 'account'));
  recorder.write(body('half'));
  const read: unknown[] = [];
  const reading = (async () => {
    for await (const piece of knownOf(await other.answers.claim(key, 'f', 'account'))) read.push(piece);
  })();
  await until(() => read.length === 1);
  await setTimeout(6_000);
  assert.equal(
    (await other.answers.claim(key, 'g', 'account')).outcome,
    'conflict',
    'the maker renews its claim',
  );
  maker.close();
  await assert.rejects(reading, { code: 'service_unavailable' });
  assert.deepEqual(read, [body('half')]);
  firstOf(await other.answers.claim(key, 'g', 'account')).recorder.end(false);
});

test('an answer goes on through a restart of the server', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const maker = await openProcess(redis.url, t, { times: shortTimes });
  const other = await openProcess(redis.url, t, { times: shortTimes });
  const key = unique('k');
  const { recorder, answer } = firstOf(await maker.storedAnswers.claim(key, 'f', 'account'));
  const read = textOf(answer);
  recorder.write(body('one '));
  await redis.restart();
  recorder.write(body('two '));
  await until(() => maker.state() === 'ok' && other.state() === 'ok');
  let followed: Promise<string> | undefined;
  await until(async () => {
    const claim = await other.storedAnswers.claim(key, 'f', 'account');
    if (claim.outcome === 'first') claim.recorder.end(false);
    else followed = textOf(knownOf(claim));
    return followed !== undefined;
  });
  recorder.write(body('three'));
  recorder.end(true);
  assert.equal(await followed, 'one two three');
  assert.equal(await read, 'one two three');
});
