import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { hashKey } from '../../src/core/api-key.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';
import { type ScriptedAnalyzer, startAnalyzer } from '../support/scripted-analyzer.ts';

const both = (action: string) => ({
  content_filter_builtins: ['person-name', 'address', 'email'].map((slug) => ({ slug, action })),
});
const letter = 'Dear Jane Doe, of 12 Main Street, Springfield, IL 62704: write to j@acme.example.';

describe('names and addresses', { concurrency: 1 }, () => {
  let analyzer: ScriptedAnalyzer;
  before(async () => {
    analyzer = await startAnalyzer();
  });
  after(() => analyzer.close());

  async function withGateway(
    settings: Partial<Config['entityAnalyzer'] & object>,
    run: (world: GuardedGateway) => Promise<void>,
  ) {
    const usual = { baseUrl: analyzer.url, timeout: 300, language: 'en', scoreThreshold: 0.5 };
    const world = await startGuarded({ config: { entityAnalyzer: { ...usual, ...settings } } });
    try {
      await run(world);
    } finally {
      analyzer.behave('well');
      await world.stop();
    }
  }
  async function guarded(world: GuardedGateway, rules: object) {
    const key = await world.gateway.createKey();
    await world.guard(rules, { keys: [hashKey(key)] });
    return (input: string | object[], more: object = {}) => world.ask({ input, ...more }, key);
  }
  const sent = (world: GuardedGateway) => JSON.stringify(world.upstream.requests.at(-1)?.body);
  const entryOf = (answer: { body: { service_metadata: { pipeline: { data: object }[] } } }) =>
    answer.body.service_metadata.pipeline[0]?.data as Record<string, unknown>;

  test('are redacted in messages, arguments, outputs and definitions, and named by their kinds', () =>
    withGateway({}, async (world) => {
      const ask = await guarded(world, both('redact'));
      const answer = await ask(
        [
          { type: 'message', role: 'user', content: letter },
          { type: 'function_call', call_id: 'c1', name: 'send', arguments: '{"to":"Jane Doe"}' },
          { type: 'function_call_output', call_id: 'c1', output: 'Jane Doe has it' },
          { type: 'message', role: 'user', content: 'Zoë 👩‍🚀 Ortiz and 👍 Jane Doe' },
        ],
        {
          tools: [
            { type: 'function', name: 'send', description: 'Ask Jane Doe', parameters: { type: 'object' } },
          ],
        },
      );
      assert.equal(answer.status, 200, answer.text);
      const body = sent(world);
      for (const value of ['Jane', 'Doe', 'Ortiz', 'Main Street', 'Springfield', '62704', 'j@acme']) {
        assert.ok(!body.includes(value), `${value} left for the provider`);
      }
      assert.ok(body.includes('Dear [PERSON_NAME], of [ADDRESS]: write to [EMAIL].'), body);
      assert.ok(body.includes('[PERSON_NAME] and 👍 [PERSON_NAME]'), body);
      const { action, engines, matched_entity_types: types } = entryOf(answer);
      assert.deepEqual([action, engines], ['redacted', ['presidio', 'regex']]);
      assert.deepEqual([...(types as string[])].sort(), ['ADDRESS', 'EMAIL', 'PERSON_NAME']);
      const [question] = analyzer.asked;
      assert.deepEqual(
        [question?.language, question?.entities, question?.score_threshold],
        ['en', ['PERSON', 'LOCATION'], 0.5],
      );
      assert.ok(!analyzer.asked.some(({ text }) => text === 'send'), 'names of tools are not asked about');
      const said = world.gateway.log.join('\n') + JSON.stringify(answer.body.service_metadata);
      assert.ok(!said.includes('Jane') && !said.includes('Springfield'));
    }));

  test('block with their kind in the message, and a long text is read to its end', () =>
    withGateway({ timeout: 5_000 }, async (world) => {
      const ask = await guarded(world, both('block'));
      const { status, body } = await ask(`${'All work and no play. '.repeat(5_000)}Jane Doe`);
      assert.equal(status, 403);
      assert.match(body.error.message, /blocked by a guardrail: Person name/);
      assert.ok(!JSON.stringify(body).includes('Jane'));
    }));

  test('an analyzer that hangs, fails or talks nonsense: redaction goes on and says so, a block is refused', () =>
    withGateway({}, async (world) => {
      const redacting = await guarded(world, both('redact'));
      const blocking = await guarded(world, {
        content_filter_builtins: [{ slug: 'address', action: 'block' }],
      });
      for (const [mode, noted] of [
        ['hang', 'timed_out'],
        ['fail', 'failed'],
        ['nonsense', 'failed'],
      ] as const) {
        analyzer.behave(mode);
        const answer = await redacting(letter);
        assert.equal(answer.status, 200, mode);
        assert.ok(sent(world).includes('Dear Jane Doe') && sent(world).includes('[EMAIL]'), mode);
        assert.equal(entryOf(answer)[noted], true);
        const quiet = await redacting('Nothing to see.');
        assert.deepEqual([entryOf(quiet).flagged, entryOf(quiet)[noted]], [false, true]);
        const calls = world.upstream.requests.length;
        const refused = await blocking(letter);
        assert.equal(refused.status, 503, mode);
        assert.match(refused.body.error.message, /look for names or addresses/);
        assert.equal(world.upstream.requests.length, calls, 'no provider was asked');
      }
    }));

  test('what happens on failure is the operator’s to say', async () => {
    await withGateway({ onFailure: 'allow' }, async (world) => {
      analyzer.behave('fail');
      const ask = await guarded(world, { content_filter_builtins: [{ slug: 'address', action: 'block' }] });
      assert.equal((await ask(letter)).status, 200);
    });
    await withGateway({ onFailure: 'refuse' }, async (world) => {
      analyzer.behave('hang');
      const ask = await guarded(world, {
        content_filter_builtins: [{ slug: 'person-name', action: 'flag' }],
      });
      assert.equal((await ask(letter)).status, 503);
    });
  });

  test('a text that is tried is read by it too', () =>
    withGateway({}, async (world) => {
      const draft = { content_filter_builtins: [{ slug: 'person-name', action: 'redact' }] };
      const { body } = await world.manage('POST', '/guardrails/test', { text: 'Hello Jane Doe', draft });
      assert.equal(body.data.text, 'Hello [PERSON_NAME]');
    }));
});
