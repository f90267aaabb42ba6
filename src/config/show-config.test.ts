import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerOf } from '../../test/support/catalogue.ts';
import { configOf } from '../../test/support/gateway.ts';
import { showConfig } from './show-config.ts';

test('addresses are shown without passwords and without the values of their queries', () => {
  const north = providerOf({ slug: 'north', baseUrl: 'https://me:pw-1234@host.example/v1?code=k-5678&v=2' });
  const plain = providerOf({ slug: 'plain', baseUrl: 'https://host.example/v1' });
  const config = configOf({ models: [], providers: [north, plain] });
  const shown = showConfig(
    { ...config, database: { ...config.database, url: 'postgres://u:pw-9@db/x' } },
    {},
  );
  const text = JSON.stringify(shown);
  for (const secret of ['pw-1234', 'k-5678', 'pw-9']) assert.ok(!text.includes(secret), secret);
  assert.ok(text.includes('"https://me:***@host.example/v1?code=***&v=***"'), text);
  assert.ok(text.includes('"https://host.example/v1"'));
  assert.ok(text.includes('"postgres://u:***@db/x"'));
});
