import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adapterNames } from '../catalogue/vocabulary.ts';
import { createUpstreamRegistry } from './registry.ts';
import { createTransport } from './wire/transport.ts';

test('every adapter the configuration may name is there', async () => {
  const transport = createTransport();
  const registry = createUpstreamRegistry({ transport });
  assert.deepEqual([...registry.keys()].sort(), [...adapterNames].sort());
  await transport.close();
});
