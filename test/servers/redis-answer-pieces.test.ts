import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { appendScript, storedAnswerKeys } from '../../src/shared-state/redis/stored-answer-scripts.ts';
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
