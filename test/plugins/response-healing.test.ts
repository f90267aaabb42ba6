import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';

const usage = { input: 10, output: 10 };
const plugins = [{ id: 'response-healing' }];
const text = { format: { type: 'json_object' } };
const metadata = { 'x-service-metadata': 'enabled' };

describe('response healing', { concurrency: 3 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());
      const says = (say: string[], finish: 'stop' | 'length' = 'stop') =>
        stage.say({ utterances: [{ say }], finish, usage });

      test('broken JSON is repaired and reported', async () => {
        says(['Sure:\n```json\n{"a": ', "1, 'b': True,}\n", '```']);
        const { body, text: said } = await stage.ask({ plugins, text }, metadata);
        assert.equal(said, '{"a": 1, "b": true}');
        const entry = body.service_metadata.pipeline.find(
          ({ type }: { type: string }) => type === 'response_healing',
        );
        assert.deepEqual(
          [entry.name, entry.data.mode, entry.data.healed_length],
          ['response-healing', 'json_object', 19],
        );
        assert.equal(body.usage.output_tokens, 10);
      });

      test('what is right, cut off, streamed, hopeless or not asked for stays as it is', async () => {
        const broken = '{"a": 1,}';
        says(['{"a": 1}']);
        const { body, text: right } = await stage.ask({ plugins, text }, metadata);
        assert.equal(right, '{"a": 1}');
        assert.ok(!JSON.stringify(body.service_metadata).includes('response_healing'));
        const schema = { type: 'object', properties: {}, additionalProperties: true };
        const ofSchema = { format: { type: 'json_schema', name: 'a', schema } };
        says(['[{"a": 1}]']);
        assert.equal(
          (await stage.ask({ plugins, text: ofSchema })).text,
          '[{"a": 1}]',
          'JSON of another shape',
        );
        says([broken]);
        assert.equal((await stage.ask({ plugins, text, stream: true })).text, broken);
        assert.equal((await stage.ask({ text })).text, broken);
        assert.equal((await stage.ask({ plugins: [{ ...plugins[0], enabled: false }], text })).text, broken);
        assert.equal((await stage.ask({ plugins })).text, broken);
        says([broken], 'length');
        assert.equal((await stage.ask({ plugins, text, max_output_tokens: 100 })).text, broken);
        says(['I cannot.']);
        assert.equal((await stage.ask({ plugins, text })).text, 'I cannot.');
      });
    });
  }
});
