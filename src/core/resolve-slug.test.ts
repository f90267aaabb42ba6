import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import type { Catalogue, Model } from './catalogue.ts';
import { resolveSlug } from './resolve-slug.ts';

const north = providerOf({ slug: 'north' });
const named = (id: string, fields: Partial<Model> = {}): Model => ({ ...modelOf(id, [north]), ...fields });
const models = [
  named('acme/Atlas-4', { canonicalSlug: 'acme/atlas-4-20260301' }),
  named('acme/Atlas-4:free', { canonicalSlug: 'acme/atlas-4-20260301' }),
  named('acme/atlas-4:thinking'),
  named('acme/atlas-3', { retired: { successor: 'acme/Atlas-4' } }),
  named('acme/atlas-3:free', { retired: {} }),
  named('acme/hermit', { accounts: new Set(['user_1']) }),
  // A canonical slug that is another model's id: the id wins.
  named('acme/odd', { canonicalSlug: 'acme/hermit' }),
];
const catalogue: Catalogue = {
  models: new Map(models.map((model) => [model.id, model])),
  providers: new Map(),
  aliases: new Map([
    ['acme/atlas-4-0', { kind: 'legacy', target: 'acme/Atlas-4' }],
    ['~acme/atlas-latest', { kind: 'latest', target: 'acme/Atlas-4' }],
    ['~acme/gone-latest', { kind: 'latest', target: undefined }],
    ['acme/secret', { kind: 'legacy', target: 'acme/hermit' }],
  ]),
};

function shown(slug: string, accountId?: string): readonly unknown[] {
  const found = resolveSlug(slug, catalogue, accountId);
  switch (found.outcome) {
    case 'model':
      return [found.model.id, found.by, ...found.variants];
    case 'retired':
      return ['retired', found.successor, found.wasFree];
    default:
      return [found.outcome];
  }
}

test('a slug is looked for as alias, as row and as row with variants', () => {
  const cases: [string, readonly unknown[]][] = [
    ['acme/Atlas-4', ['acme/Atlas-4', 'name']],
    ['ACME/ATLAS-4', ['acme/Atlas-4', 'name']],
    ['acme/atlas-4-20260301', ['acme/Atlas-4', 'name']],
    ['acme/atlas-4-20260301:free', ['acme/Atlas-4:free', 'name']],
    ['acme/atlas-4-20260301:thinking:nitro', ['acme/atlas-4:thinking', 'name', 'nitro']],
    ['acme/atlas-4-20260301:extended', ['unknown']],
    ['acme/atlas-4-0', ['acme/Atlas-4', 'legacy']],
    ['~Acme/atlas-latest', ['acme/Atlas-4', 'latest']],
    ['acme/atlas-4:free', ['acme/Atlas-4:free', 'name']],
    ['acme/atlas-4:nitro', ['acme/Atlas-4', 'name', 'nitro']],
    ['acme/atlas-4:free:online', ['acme/Atlas-4:free', 'name', 'online']],
    ['acme/atlas-4:online:thinking:floor', ['acme/atlas-4:thinking', 'name', 'online', 'floor']],
    ['acme/atlas-4-0:free', ['acme/Atlas-4:free', 'legacy']],
    ['~acme/atlas-latest:exacto', ['acme/Atlas-4', 'latest', 'exacto']],
    ['acme/atlas-4:nitro:floor', ['contradictory']],
    ['acme/atlas-4:free:thinking', ['contradictory']],
    ['acme/atlas-4:nitro:nitro', ['contradictory']],
    ['acme/atlas-4:extended', ['unknown']],
    ['atlas-4', ['unknown']],
    ['', ['unknown']],
    ['~acme/gone-latest', ['empty_family']],
    ['~acme/none-latest', ['unknown']],
    ['acme/atlas-3', ['retired', 'acme/Atlas-4', false]],
    ['acme/atlas-3:free', ['retired', 'acme/atlas-3', true]],
    ['constructor', ['unknown']],
    ['acme/odd', ['acme/odd', 'name']],
  ];
  for (const [slug, expected] of cases) assert.deepEqual(shown(slug), expected, slug);
});

test('a private model is unknown to others, by whatever slug', () => {
  for (const slug of ['acme/hermit', 'acme/secret', 'acme/hermit:nitro']) {
    assert.deepEqual(shown(slug), ['unknown'], slug);
    assert.deepEqual(shown(slug, 'user_2'), ['unknown'], slug);
    assert.equal(shown(slug, 'user_1')[0], 'acme/hermit', slug);
  }
});
