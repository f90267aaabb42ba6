import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MasterKey, readMasterKeys } from './master-key.ts';
import { createPseudonymizer } from './seals.ts';

const zero = new MasterKey(Buffer.alloc(32));

test('what is derived of a key stays the same from version to version, or nothing stored opens', () => {
  assert.equal(zero.id, '0a0a7767296feecf');
  assert.equal(
    zero.derive('provider-credentials').toString('hex'),
    '5dfe64e0b4a837066256b34ac80a85c515a04b7e13fcad986484298847788db9',
  );
  assert.notEqual(zero.derive('a').toString('hex'), zero.derive('b').toString('hex'));
  assert.equal(MasterKey.create().toBase64().length, 44);
});

test('keys are read from any separator, the first one current', () => {
  const [one, other] = [MasterKey.create(), MasterKey.create()];
  const ids = [one.id, other.id];
  for (const between of [',', '\n', ' , ', '\r\n\n']) {
    const text = `\n${one.toBase64()}${between}${other.toBase64()}\n`;
    assert.deepEqual(
      readMasterKeys(text, 'x').map(({ id }) => id),
      ids,
    );
  }
});

test('what is no key is refused under the name of its source', () => {
  const good = zero.toBase64();
  const short = Buffer.alloc(31).toString('base64');
  const long = Buffer.alloc(33).toString('base64');
  for (const text of ['', ' \n', short, long, `${good},${short}`]) {
    assert.throws(
      () => readMasterKeys(text, 'THE_FILE'),
      /^Error: THE_FILE must hold 32 bytes in base64/,
      text,
    );
  }
});

test('a pseudonym is stable and differs by end user and account', () => {
  const pseudonym = createPseudonymizer(zero);
  assert.equal(pseudonym('user_1', undefined), '9abad702ff486db3c8ea37346fc2aa49c4417fa3');
  assert.equal(pseudonym('user_1', 'ann'), 'b3bfc5f3d10dc2316a65b890448927dc305d06ed');
  const all = [
    pseudonym('user_1', undefined),
    pseudonym('user_2', undefined),
    pseudonym('user_1', 'ann'),
    pseudonym('user_2', 'ann'),
    pseudonym('user_1', 'bob'),
    createPseudonymizer(MasterKey.create())('user_1', undefined),
  ];
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.every((one) => /^[0-9a-f]{40}$/.test(one)));
  assert.equal(pseudonym('user_1', undefined), all[0], 'the second time too');
});
