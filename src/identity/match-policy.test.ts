import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimValue, WorkloadPolicy } from '../core/workloads.ts';
import type { JsonObject } from '../util/json.ts';
import { claimOf, matchPolicy, subjectOf } from './match-policy.ts';

const policyOf = (conditions: WorkloadPolicy['conditions'], id = 'one'): WorkloadPolicy => ({
  id,
  conditions,
  subject: ['sub'],
  actsAs: { kind: 'management', role: 'viewer' },
  maxSubjects: 1,
});

const fits = (conditions: WorkloadPolicy['conditions'], claims: JsonObject) =>
  matchPolicy([policyOf(conditions)], claims) !== undefined;

test('a claim is found by its whole name, then by ever shorter beginnings', () => {
  const claims = {
    'kubernetes.io': { namespace: 'ml', pod: { name: 'a' } },
    realm_access: { roles: ['dev'] },
    'a.b': 'whole',
    a: { b: 'split', c: 1 },
  };
  assert.equal(claimOf(claims, 'kubernetes.io.namespace'), 'ml');
  assert.equal(claimOf(claims, 'kubernetes.io.pod.name'), 'a');
  assert.deepEqual(claimOf(claims, 'realm_access.roles'), ['dev']);
  assert.equal(claimOf(claims, 'a.b'), 'whole');
  assert.equal(claimOf(claims, 'a.c'), 1);
  for (const name of ['a.d', 'none', 'toString', 'constructor.name', '__proto__', '.a', 'a.']) {
    assert.equal(claimOf(claims, name), undefined, name);
  }
});

test('a condition compares letter by letter and type by type, with at most one star', () => {
  assert.ok(fits({ sub: ['a'] }, { sub: 'a' }));
  assert.ok(!fits({ sub: ['a'] }, { sub: 'A' }));
  assert.ok(fits({ sub: ['a*c'] }, { sub: 'ac' }));
  assert.ok(fits({ sub: ['a*c'] }, { sub: 'abbc' }));
  assert.ok(!fits({ sub: ['aba*aba'] }, { sub: 'aba' }));
  assert.ok(fits({ sub: ['*'] }, { sub: '' }));
  assert.ok(!fits({ sub: ['*'] }, {}));
  assert.ok(!fits({ sub: ['*'] }, { sub: 1 }));
  assert.ok(fits({ n: [1] }, { n: 1 }));
  assert.ok(!fits({ n: [1] }, { n: '1' }));
  assert.ok(fits({ ok: [true] }, { ok: true }));
  assert.ok(fits({ groups: ['ml'] }, { groups: ['ops', 'ml'] }));
  assert.ok(!fits({ groups: ['ml'] }, { groups: [['ml']] }));
  assert.ok(!fits({ sub: ['a'], ref: ['main'] }, { sub: 'a', ref: 'dev' }));
  const [first, second] = [policyOf({ sub: ['a*'] }, 'first'), policyOf({ sub: ['ab'] }, 'second')];
  assert.equal(matchPolicy([first, second], { sub: 'ab' })?.id, 'first');
});

test('a hundred thousand random policies and claims are judged as a naive matcher judges them', () => {
  let seed = 40;
  const draw = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed % below;
  };
  const pick = <Item>(items: readonly Item[]) => items[draw(items.length)] as Item;
  const names = ['sub', 'ref', 'a.b', 'a', 'x.y.z'] as const;
  const values: readonly ClaimValue[] = ['a', 'ab', 'b', 'a*', '*b', '*', 'a*b', '', 1, 0, true, false];
  const claimValues = ['a', 'ab', 'abb', 'b', '', 1, 0, true, null, ['a', 'b'], { b: 'ab' }, { 'y.z': 'a' }];
  const naive = (wanted: ClaimValue, claim: unknown): boolean => {
    if (Array.isArray(claim)) return claim.some((one) => !Array.isArray(one) && naive(wanted, one));
    if (typeof wanted !== 'string' || typeof claim !== 'string') return wanted === claim;
    const pattern = wanted.split('*').map((part) => part.replaceAll(/[^a-z]/g, '\\$&'));
    return new RegExp(`^${pattern.join('[^]*')}$`).test(claim);
  };
  const naiveClaim = (claims: JsonObject, name: string): unknown => {
    if (name in claims) return claims[name];
    const dots = [...name].flatMap((letter, at) => (letter === '.' ? [at] : [])).reverse();
    for (const dot of dots) {
      const inner = claims[name.slice(0, dot)];
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
      const found = naiveClaim(inner as JsonObject, name.slice(dot + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  let taken = 0;
  for (let round = 0; round < 100_000; round += 1) {
    const some = <Value>(value: () => Value) =>
      Object.fromEntries(Array.from({ length: 1 + draw(3) }, () => [pick(names), value()]));
    const claims = some(() => pick(claimValues));
    const conditions = some(() => Array.from({ length: 1 + draw(2) }, () => pick(values)));
    const expected = Object.entries(conditions).every(([name, wanted]) =>
      wanted.some((one) => naive(one, naiveClaim(claims, name))),
    );
    assert.equal(fits(conditions, claims), expected, JSON.stringify({ claims, conditions }));
    if (expected) taken += 1;
  }
  assert.ok(taken > 2_000, `only ${taken} fit: the cases say little`);
});

test('a subject is one claim as text, or several so that no two are alike', () => {
  const of = (subject: readonly string[], claims: JsonObject) =>
    subjectOf({ ...policyOf({}), subject }, claims);
  assert.equal(of(['sub'], { sub: 'a' }), 'a');
  assert.equal(of(['sub'], { sub: 7 }), '7');
  assert.equal(of(['a', 'b'], { a: 'x', b: 'y,z' }), '["x","y,z"]');
  assert.notEqual(of(['a', 'b'], { a: 'x y', b: 'z' }), of(['a', 'b'], { a: 'x', b: 'y z' }));
  for (const sub of [undefined, '', null, true, ['a'], 'x'.repeat(513), 'a\u0000b', '\ud800']) {
    assert.equal(of(['sub'], { sub }), undefined, String(sub).slice(0, 10));
  }
});
