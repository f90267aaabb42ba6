import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { now, workplace } from '../../../test/support/command-line.ts';
import { startIssuer } from '../../../test/support/token-issuer.ts';

test('a token is judged step by step, with the claim that shuts it out and without the token', async (t) => {
  const issuer = await startIssuer();
  t.after(() => issuer.stop());
  const { run, json, folder } = await workplace();
  writeFileSync(
    join(folder, 'headgate.yaml'),
    `auth:
  workloads:
    - id: local
      issuer: ${issuer.url}
      audiences: [headgate]
      policies: [{ id: batch, if: { sub: "job:*" }, subject: [sub, run_id] }]
`,
  );
  const explain = async (claims: object) => {
    const token = await issuer.sign({ iat: now / 1000, exp: now / 1000 + 600, ...claims });
    writeFileSync(join(folder, 'token'), `${token}\n`);
    const { code, out, err } = await run('auth', 'explain', '--token-file', join(folder, 'token'));
    assert.ok(!`${out}${err}`.includes(token.slice(0, 40)));
    return [code, out] as const;
  };
  const [code, said] = await explain({ sub: 'job:nightly', run_id: 7 });
  assert.deepEqual([code, /subject +yes +\["job:nightly",7\]/.test(said)], [0, true], said);
  const [refused, why] = await explain({ sub: 'other' });
  assert.deepEqual([refused, /"batch" wants sub to be "job:\*"; it is "other"/.test(why)], [1, true], why);
  assert.match((await explain({ sub: 'job:x', aud: 'other' }))[1], /jwt_audience/);
  assert.match((await explain({ sub: 'job:x', iss: 'https://x' }))[1], /auth\.workloads knows http/);
  const checked = await json('auth', 'check');
  assert.equal(checked.issuers[0].keys, 1);
  assert.match(checked.issuers[0].warnings.join(), /run_id differs in every run/);
  issuer.setAway(true);
  const away = await run('auth', 'check', 'local');
  assert.deepEqual([away.code, /answers 503/.test(away.out)], [1, true]);
  assert.equal((await run('auth', 'check', 'none')).code, 1);
});
