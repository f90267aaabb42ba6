import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HeadgateError } from '../../src/core/errors.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import type { RateRules } from '../../src/core/limits.ts';
import type { Stage } from '../../src/stages/stage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { asks, callStream, secondOpinion, smallModel } from './second-opinion.ts';

/** Refuses prompts that say so; counts the others it sees. */
function scanning(): Stage & { scanned: number } {
  const stage: Stage & { scanned: number } = {
    scanned: 0,
    place: 'input-scan',
    begin: ({ models, canonical }: InferenceRequest) => {
      if (models[0] === smallModel) return undefined;
      return {
        async prepare(given) {
          stage.scanned += 1;
          if (JSON.stringify(canonical.items).includes('forbidden')) {
            throw new HeadgateError('permission_denied', 'The prompt holds a forbidden word.');
          }
          return given;
        },
      };
    },
  };
  return stage;
}

async function start(t: TestContext, rates: Partial<RateRules>) {
  const big = await startFakeUpstream(
    { steps: callStream(asks('Well?')) },
    { steps: chatStream('It', ' says:', ' ask', ' again.') },
  );
  const small = await startFakeUpstream({ steps: chatStream('Ask', ' again.') });
  const stage = scanning();
  const gateway = await startGateway({
    models: [
      modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${big.url}/v1` })]),
      modelOf(smallModel, [providerOf({ slug: 'south', baseUrl: `${small.url}/v1` })]),
    ],
    parts: { tools: [secondOpinion], stages: [stage] },
    config: { limits: { ...defaultLimits, rates: { ...defaultLimits.rates, ...rates } } },
  });
  t.after(async () => {
    await gateway.stop();
    await big.close();
    await small.close();
  });
  const ask = async (input = 'Shall I?') => {
    const response = await gateway.post({ model: 'acme/atlas-4', input });
    return {
      status: response.status,
      body: (await response.json()) as { status: string; error: { metadata: { rate: { used: number } } } },
    };
  };
  return { gateway, big, small, stage, ask };
}

test('a request of several turns counts once and needs one place; the tokens of all its turns count', async (t) => {
  const { ask, big, small } = await start(t, {
    key: { requestsPerMinute: 9, tokensPerMinute: 1_100, parallel: 1 },
    account: { requestsPerMinute: 9 },
  });
  const first = await ask();
  assert.deepEqual([first.status, first.body.status], [200, 'completed']);
  assert.deepEqual([big.requests.length, small.requests.length], [2, 1]);
  assert.equal((await ask()).status, 200, 'the place is free');
  const { status, body } = await ask('Word '.repeat(200));
  assert.equal(status, 429);
  // 20 and 5, 9 and 2, 9 and 4; then 9 and 4 again.
  assert.equal(body.error.metadata.rate.used, 49 + 13);
});

test('a request beyond a limit is refused before its content is worked on; one a guardrail refuses counts', async (t) => {
  const { ask, stage } = await start(t, { account: { requestsPerMinute: 2, parallel: 1 } });
  assert.equal((await ask('This is forbidden.')).status, 403);
  assert.equal((await ask()).status, 200);
  assert.equal(stage.scanned, 2);
  assert.equal((await ask()).status, 429);
  assert.equal(stage.scanned, 2);
});
