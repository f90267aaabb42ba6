import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { DialectScript, ScriptedAnswer, Utterance } from './dialect-script.ts';
import { dialects } from './dialects.ts';
import { type Stage, setStage } from './support/stage.ts';

/** More in the slow lane: HEADGATE_FUZZ_RUNS. */
const numRuns = Number(process.env.HEADGATE_FUZZ_RUNS ?? 5);
const tools = [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }];
const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 1, maxLength: 4 });
const finishes = fc.constantFrom<ScriptedAnswer['finish']>('stop', 'tool_calls', 'length', 'content_filter');

/** The one order every dialect can tell. */
const usualOrder = ['think', 'summarize', 'say', 'refuse', 'picture', 'call'] as const;

function utterancesOf({ cannot }: DialectScript): fc.Arbitrary<Utterance[]> {
  const signature = cannot.has('signature') || cannot.has('seal') ? {} : { signature: 'c2lnbmF0dXJl' };
  const calls = fc.array(words, { minLength: 1, maxLength: 3 }).map((said): Utterance => {
    const call = said.map((port, at) => {
      const text = JSON.stringify({ port: port.join('') });
      return { id: `call_${at}`, name: 'get_tide', arguments: [text.slice(0, 5), text.slice(5)] };
    });
    return { call };
  });
  const kinds: Readonly<Record<(typeof usualOrder)[number], fc.Arbitrary<Utterance>>> = {
    think: words.map((think) => ({ think, ...signature })),
    summarize: words.map((summarize) => ({ summarize })),
    say: words.map((say) => ({ say })),
    refuse: words.map((refuse) => ({ refuse })),
    picture: fc.constant({ picture: 'AAAA' }),
    call: calls,
  };
  const possible = usualOrder.filter((kind) => kind === 'say' || kind === 'call' || !cannot.has(kind));
  return fc.array(fc.oneof(...possible.map((kind) => kinds[kind])), { minLength: 1, maxLength: 4 });
}

/** In some dialects a whole answer is one message, which does not tell what came first. */
function tellsOrder(dialect: DialectScript): boolean {
  const { body } = dialect.answer({ utterances: [{ say: ['Hi'] }], finish: 'stop' }, false);
  return !('choices' in JSON.parse(Buffer.concat(body).toString()));
}

function inUsualOrder(utterances: readonly Utterance[]): Utterance[] {
  const placeOf = (utterance: Utterance) => usualOrder.findIndex((kind) => kind in utterance);
  return utterances.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** An answer without what is made anew for each: ids, and the times. */
function shown({
  output,
  status,
  incomplete_details,
  usage,
  service_tier,
}: Record<string, unknown>): unknown {
  const told = { output, status, incomplete_details, usage, service_tier };
  return JSON.parse(
    JSON.stringify(told, (key, value) => (key === 'id' || key === 'call_id' ? undefined : value)),
  );
}

describe('either way of asking', { concurrency: 3 }, () => {
  for (const dialect of dialects) {
    describe(`${dialect.adapter}${tellsOrder(dialect) ? '' : ', chat'}`, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());

      test('an unstreamed answer is the last snapshot of the streamed one', async () => {
        await fc.assert(
          fc.asyncProperty(utterancesOf(dialect), finishes, async (any, finish) => {
            const utterances = tellsOrder(dialect) ? any : inUsualOrder(any);
            stage.say({ utterances, finish, usage: { input: 9, output: 7 } });
            const streamed = await stage.ask({ stream: true, tools });
            const whole = await stage.ask({ tools });
            assert.equal(whole.status, streamed.status);
            assert.deepEqual(shown(whole.body), shown(streamed.body));
          }),
          { numRuns },
        );
      });
    });
  }
});
