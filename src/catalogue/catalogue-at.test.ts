import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import type { Catalogue, Model } from '../core/catalogue.ts';
import { CurrentCatalogue, catalogueAt } from './catalogue-at.ts';

const north = providerOf({ slug: 'north' });
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

function atlas(version: number, fields: Partial<Model> = {}): Model {
  return { ...modelOf(`acme/atlas-${version}`, [north]), family: 'atlas', created: version, ...fields };
}

function catalogueOf(...models: Model[]): Catalogue {
  return {
    models: new Map(models.map((model) => [model.id, model])),
    providers: new Map(),
    aliases: new Map([['oldco/atlas', { kind: 'legacy', target: 'acme/atlas-4' }]]),
  };
}

const latestOf = (catalogue: Catalogue, alias = '~acme/atlas-latest') => catalogue.aliases?.get(alias);

test('a model is retired from its day on, and the latest alias goes to the next one', () => {
  const source = catalogueOf(
    atlas(4, { expirationDate: '2027-01-31', successor: 'acme/atlas-5' }),
    atlas(3),
    atlas(2, { expirationDate: '2027-02-10' }),
  );
  const current = new CurrentCatalogue();
  const before = current.at(source, day('2027-01-31') - 1);
  assert.equal(before.models.get('acme/atlas-4')?.retired, undefined);
  assert.equal(latestOf(before)?.target, 'acme/atlas-4');
  assert.equal(current.at(source, day('2027-01-31') - 1), before, 'not worked out again');
  const after = current.at(source, day('2027-01-31'));
  assert.deepEqual(after.models.get('acme/atlas-4')?.retired, { successor: 'acme/atlas-5' });
  assert.equal(latestOf(after)?.target, 'acme/atlas-3');
  assert.equal(after.models.get('acme/atlas-3'), source.models.get('acme/atlas-3'), 'others stay the same');
  assert.deepEqual(after.aliases?.get('oldco/atlas'), { kind: 'legacy', target: 'acme/atlas-4' });
  assert.equal(current.at(source, day('2027-02-09')), after);
  assert.notEqual(current.at(source, day('2027-02-10')), after);
  assert.notEqual(current.at({ ...source }, day('2027-02-10')), current.at(source, day('2027-02-11')));
});

test('only listed, public models of the plain kind count as latest', () => {
  const source = catalogueOf(
    atlas(1),
    atlas(2, { family: 'ACME/atlas' }),
    atlas(3, { hidden: true }),
    atlas(4, { retired: {} }),
    atlas(5, { accounts: new Set(['user_1']) }),
    atlas(6, { id: 'acme/atlas-6:free' }),
    atlas(7, { endpoints: atlas(7).endpoints.map((endpoint) => ({ ...endpoint, status: 'disabled' })) }),
    atlas(8, { family: 'gone', retired: {} }),
    atlas(9, { family: 'secret', accounts: new Set(['user_1']) }),
  );
  const catalogue = catalogueAt(source, 0);
  assert.equal(latestOf(catalogue)?.target, 'acme/atlas-2');
  assert.deepEqual(latestOf(catalogue, '~acme/gone-latest'), { kind: 'latest', target: undefined });
  assert.equal(latestOf(catalogue, '~acme/secret-latest')?.target, 'acme/atlas-9', 'for those who know it');
});
