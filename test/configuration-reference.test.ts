import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  configurationReferenceFile,
  renderConfigurationReference,
} from '../scripts/configuration-reference.ts';
import { exportSchema } from '../src/config/export-schema.ts';

test('docs/configuration.md is what the code says', () => {
  const kept = readFileSync(configurationReferenceFile, 'utf8');
  assert.equal(kept, renderConfigurationReference(), 'run npm run docs');
});

test('every key that editors are told of stands in the reference', () => {
  const text = renderConfigurationReference();
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, ...others } = schema as Record<string, unknown>;
    for (const [name, member] of Object.entries(properties ?? {})) {
      assert.match(text, new RegExp(`[.\`]${name}\``), name);
      visit(member);
    }
    for (const other of Object.values(others)) visit(other);
  };
  visit(exportSchema());
});
