// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has its own ${VAR}
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { exportSchema } from './export-schema.ts';

const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(exportSchema());

test('the schema for editors accepts what the reader accepts', () => {
  for (const file of [
    {},
    { server: { dashboard: false } },
    { server: { trust_proxy: 2 } },
    { server: { trust_proxy: '${PROXIES}' } },
    { server: { trust_proxy: ['10.0.0.0/8', '${PROXY}'] } },
    { server: { port: 1, drain_timeout: '5s', body_limit: '1MiB' } },
    {
      server: { port: '${PORT}' },
      providers: { openai: { api_key_file: '/run/secrets/openai' }, mistral: null },
    },
    {
      models: [
        { id: 'a/b', endpoints: [{ provider: 'p', model: 'm', price: { input: 0.1, output: '0.2' } }] },
      ],
    },
    { providers: { p: { adapter: 'sandbox', quirks: { anything: { goes: [1] } } } } },
  ]) {
    assert.ok(validate(file), JSON.stringify(validate.errors));
  }
});

test('the schema for editors refuses unknown keys and wrong values', () => {
  for (const file of [
    { sever: {} },
    { server: { dashboard: true } },
    { server: false },
    { server: { trust_proxy: 'yes' } },
    { server: { trust_proxy: [] } },
    { server: { trust_proxy: 65 } },
    { guardrails: { rule: {} } },
    { server: { port: 'eighty' } },
    { server: { drain_timeout: 5 } },
    { providers: { 'Not A Slug': {} } },
    { models: [{ id: 'a/b', endpoints: [{ provider: 'p' }] }] },
    { log_level: 'loud' },
  ]) {
    assert.ok(!validate(file), JSON.stringify(file));
  }
});
