import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { loadConfig } from '../../src/config/load-config.ts';
import type { WorkloadIssuer } from '../../src/core/workloads.ts';
import { explainToken } from '../../src/identity/explain-token.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/workload-identity.md'), 'utf8');
const directory = temporaryFolder();

/** What a token of each platform says, the policy that fits and its subject; and claims that each alone shut it out. */
const tokens: Readonly<
  Record<
    string,
    {
      readonly claims: JsonObject;
      readonly policy: string;
      readonly subject: string;
      readonly wrong: readonly JsonObject[];
    }
  >
> = {
  Kubernetes: {
    claims: {
      iss: 'https://kubernetes.default.svc.cluster.local',
      aud: ['headgate'],
      sub: 'system:serviceaccount:ml:trainer',
      jti: 'c3b6a2f0-3c58-4a3c-8a6d-9a3a6f0f1d11',
      'kubernetes.io': {
        namespace: 'ml',
        node: { name: 'node-1', uid: '1' },
        pod: { name: 'trainer-0', uid: '2' },
        serviceaccount: { name: 'trainer', uid: '3' },
        warnafter: 1_790_000_000,
      },
    },
    policy: 'batch',
    subject: 'system:serviceaccount:ml:trainer',
    wrong: [
      { aud: ['https://kubernetes.default.svc.cluster.local'] },
      { sub: 'system:serviceaccount:web:trainer' },
      { 'kubernetes.io': { namespace: 'web' } },
    ],
  },
  'GitHub Actions': {
    claims: {
      iss: 'https://token.actions.githubusercontent.com',
      aud: 'headgate',
      sub: 'repo:acme/api:environment:production',
      repository: 'acme/api',
      repository_id: '724921845',
      repository_owner: 'acme',
      ref: 'refs/heads/main',
      environment: 'production',
      event_name: 'push',
      run_id: '9182',
    },
    policy: 'reviews',
    subject: '["724921845","production"]',
    wrong: [
      { aud: 'https://github.com/acme' },
      { repository_id: '724921846' },
      { ref: 'refs/heads/dev' },
      { repository_id: 724_921_845 },
    ],
  },
  'GitLab CI': {
    claims: {
      iss: 'https://gitlab.com',
      aud: 'headgate',
      sub: 'project_path:acme/api:ref_type:branch:ref:main',
      project_id: '5213',
      ref_protected: 'true',
      ref: 'main',
    },
    policy: 'pipelines',
    subject: '5213',
    wrong: [{ aud: 'vault' }, { project_id: '5214' }, { ref_protected: 'false' }],
  },
  AWS: {
    claims: {
      iss: 'https://0f2a6b8e-7a1c-4c53-9d41-5f7b2f0e6a11.tokens.sts.global.api.aws',
      aud: 'headgate',
      sub: 'arn:aws:iam::111122223333:role/llm-summaries',
      'https://sts.amazonaws.com/': { aws_account: '111122223333', org_id: 'o-1' },
    },
    policy: 'lambdas',
    subject: 'arn:aws:iam::111122223333:role/llm-summaries',
    wrong: [{ sub: 'arn:aws:iam::444455556666:role/llm-summaries' }, { aud: 'other' }],
  },
  'Google Cloud': {
    claims: {
      iss: 'https://accounts.google.com',
      aud: 'headgate',
      azp: '108',
      sub: '108201234567890123456',
      email: 'batch@acme.iam.gserviceaccount.com',
      email_verified: true,
      google: { compute_engine: { project_id: 'acme', zone: 'europe-west1-b' } },
    },
    policy: 'jobs',
    subject: '108201234567890123456',
    wrong: [
      { email_verified: false },
      { email_verified: 'true' },
      { email: 'x@acme.iam.gserviceaccount.com' },
    ],
  },
  Azure: {
    claims: {
      iss: 'https://login.microsoftonline.com/7d4c3c0b-6c1e-4a6e-8f0a-111111111111/v2.0',
      aud: '2f1c7c94-1f4d-4b7e-9a3b-222222222222',
      oid: '5b0f7e7a-9a76-4f4e-8a0e-333333333333',
      sub: 'pairwise',
      azp: '9c8b',
      tid: '7d4c3c0b-6c1e-4a6e-8f0a-111111111111',
      ver: '2.0',
    },
    policy: 'functions',
    subject: '5b0f7e7a-9a76-4f4e-8a0e-333333333333',
    wrong: [{ oid: '5b0f7e7a-9a76-4f4e-8a0e-444444444444' }, { aud: '00000003-0000-0000-c000-000000000000' }],
  },
  'People of an identity provider': {
    claims: {
      iss: 'https://id.example/realms/acme',
      aud: ['account', 'headgate'],
      sub: '8f3a',
      groups: ['staff', 'engineering'],
      typ: 'Bearer',
    },
    policy: 'engineers',
    subject: '8f3a',
    wrong: [{ groups: ['staff'] }, { groups: 'Engineering' }, { aud: 'account' }],
  },
};

/** The issuer of a block of the page as it stands, with the key of the test instead of those that it would fetch. */
async function issuerOf(block: string, publicKeys: object): Promise<WorkloadIssuer> {
  const file = join(directory, 'headgate.yaml');
  writeFileSync(file, block);
  const { config } = await loadConfig({ file, environment: {}, directory });
  const [issuer] = config.auth.workloads;
  if (issuer === undefined) throw new Error('the block names no issuer');
  const keys = join(directory, 'jwks.json');
  writeFileSync(keys, JSON.stringify(publicKeys));
  return { ...issuer, keys: { file: keys } };
}

const sections = page
  .split('\n## ')
  .slice(1)
  .map(
    (section) => [section.split('\n')[0] ?? '', /```yaml\n([\s\S]*?)```/.exec(section)?.[1] ?? ''] as const,
  );

test('every platform of the page has a block, and its tokens are tried', () => {
  assert.deepEqual(sections.map(([title]) => title).toSorted(), Object.keys(tokens).toSorted());
});

for (const [title, block] of sections) {
  test(`${title}: the block lets in tokens of that shape, and none with a wrong claim`, async () => {
    const { claims, policy, subject, wrong } = tokens[title] ?? assert.fail(title);
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const issuer = await issuerOf(block, { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] });
    const now = Math.floor(Date.now() / 1000);
    const judged = async (change: JsonObject) => {
      const token = await new SignJWT({ iat: now, nbf: now, exp: now + 300, ...claims, ...change })
        .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'JWT' })
        .sign(privateKey);
      return explainToken(token, [issuer], now * 1000);
    };
    const good = await judged({});
    assert.ok(
      good.every(({ ok }) => ok),
      JSON.stringify(good),
    );
    assert.match(good.find(({ step }) => step === 'policy')?.says ?? '', new RegExp(`^"${policy}" fits`));
    assert.equal(good.find(({ step }) => step === 'subject')?.says, subject);
    for (const change of [...wrong, { iss: 'https://other.example' }, { exp: now - 100 }]) {
      const bad = await judged(change);
      assert.ok(
        bad.some(({ ok }) => !ok),
        JSON.stringify(change),
      );
    }
  });
}
