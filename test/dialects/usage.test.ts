import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { totalInput, type Usage } from '../../src/core/usage.ts';
import type { Upstream } from '../../src/ports/upstream.ts';
import { createUpstreamRegistry } from '../../src/upstream/registry.ts';
import { createTransport } from '../../src/upstream/wire/transport.ts';
import { Secret } from '../../src/util/secret.ts';
import { createCall } from '../fake-upstream/upstream-call.ts';
import type { DialectScript, ScriptedUsage } from './dialect-script.ts';
import { dialects } from './dialects.ts';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts';

const transport = createTransport();
const upstreams = createUpstreamRegistry({ transport });
after(() => transport.destroy());

const tokens = fc.nat(1_000_000);
const told = fc.option(tokens, { nil: undefined });

/** Parts a provider tells or leaves untold, and what they add up to. */
const counts = fc.record({
  plain: tokens,
  cacheRead: told,
  cacheWrite: told,
  answer: tokens,
  reasoning: told,
});

/** Gemini does not tell what it wrote to a cache. */
function tellsWrites({ adapter, model }: DialectScript): boolean {
  return adapter !== 'google-gemini' && (adapter !== 'google-vertex' || model?.includes('claude') === true);
}

for (const dialect of dialects) {
  describe(`usage of ${dialect.adapter}, ${dialect.model ?? 'any model'}`, () => {
    let provider: ScriptedProvider;
    before(async () => {
      provider = await startScriptedProvider(dialect);
    });
    after(() => provider.close());

    test('adds up to the provider’s totals by class; what was not told stays absent', async () => {
      const hidden = dialect.hidesReasoningTokens === true;
      await fc.assert(
        fc.asyncProperty(counts, fc.boolean(), async (parts, streamed) => {
          const { plain, cacheRead, answer, reasoning } = parts;
          const cacheWrite = tellsWrites(dialect) ? parts.cacheWrite : undefined;
          const input = plain + (cacheRead ?? 0) + (cacheWrite ?? 0);
          const output = answer + (reasoning ?? 0);
          const usage = await usageOf(
            dialect,
            provider,
            { input, output, cacheRead, cacheWrite, reasoning },
            streamed,
          );
          assert.ok(usage);
          assert.equal(totalInput(usage), input);
          assert.equal(usage.uncachedInput, plain);
          assert.equal(usage.cacheRead, cacheRead);
          assert.equal(usage.cacheWrite, cacheWrite);
          assert.equal(usage.output, output);
          assert.equal(usage.reasoning, hidden ? undefined : reasoning);
          const others = [usage.cacheWriteLong, usage.audioInput, usage.audioCacheRead, usage.webSearches];
          assert.deepEqual([...new Set([...others, usage.imageInput, usage.imageOutput])], [undefined]);
        }),
        { numRuns: 25 },
      );
    });

    test('is absent where the provider tells none', async () => {
      for (const streamed of [true, false]) {
        const usage = await usageOf(dialect, provider, undefined, streamed);
        assert.equal(usage === undefined ? undefined : totalInput(usage), undefined);
      }
    });
  });
}

/** What the meter would keep: the last thing said of usage. */
async function usageOf(
  dialect: DialectScript,
  provider: ScriptedProvider,
  usage: ScriptedUsage | undefined,
  streamed: boolean,
): Promise<Usage | undefined> {
  const upstream: Upstream | undefined = upstreams.get(dialect.adapter);
  assert.ok(upstream);
  provider.play(() => dialect.answer({ utterances: [{ say: ['Yes.'] }], finish: 'stop', usage }, streamed));
  const call = createCall({
    streamed,
    provider: {
      adapter: dialect.adapter,
      baseUrl: `${provider.url}${dialect.basePath ?? ''}`,
      apiKey: new Secret(dialect.credential.replaceAll('{url}', provider.url)),
      quirks: JSON.parse(JSON.stringify(dialect.provider ?? {}).replaceAll('{url}', provider.url)),
    },
    endpoint: dialect.model === undefined ? {} : { upstreamModel: dialect.model },
  });
  let last: Usage | undefined;
  for await (const batch of upstream.stream(call)) {
    for (const delta of batch) if (delta.kind === 'usage') last = delta.usage;
  }
  return last;
}
