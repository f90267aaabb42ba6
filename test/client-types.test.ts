import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Operations } from '../clients/headgate-api.ts';
import { clientTypesFile, renderClientTypes } from '../scripts/client-types.ts';
import { interfaceRows } from '../src/interface/routes.ts';

test('the types for clients are what the table of routes says', () => {
  assert.equal(readFileSync(clientTypesFile, 'utf8'), renderClientTypes(), 'run npm run docs');
});

test('every operation of the table has a type under its name', () => {
  const named: readonly string[] = interfaceRows.map(({ id }) => id);
  const used = {
    list: { method: 'GET', path: '/api/v1/keys', params: undefined, query: { offset: 100 } },
    change: { name: 'Main', limit: null, limit_reset: 'daily' },
    page: { data: [], total_count: 0 },
  } satisfies {
    list: Pick<Operations['listKeys'], 'method' | 'path' | 'params' | 'query'>;
    change: Operations['updateKey']['body'];
    page: Operations['listWorkspaces']['answer'];
  };
  assert.ok(used.page.data.length === 0);
  for (const name of ['listKeys', 'updateKey', 'listWorkspaces'] satisfies (keyof Operations)[]) {
    assert.ok(named.includes(name));
  }
});
