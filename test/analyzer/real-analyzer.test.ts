import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SeededRandom } from '../../scripts/quality/seeded-random.ts';
import { hashKey } from '../../src/core/api-key.ts';
import { askAnalyzer } from '../../src/guardrails/entity-analyzer.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';
import { type RealAnalyzer, startRealAnalyzer } from './start-real-analyzer.ts';

const first = ['Maria', 'Benjamin', 'Sofia', 'Thomas', 'Yuki', 'Omar', 'Anna', 'Rajesh', 'Lena', 'José'];
const last = ['Okafor', 'Smith', 'Nguyen', 'Garcia', 'Weber', 'Rossi', 'Tanaka', 'Silva', 'Novak', 'Khan'];
const places = ['Berlin', 'Chicago', 'Lyon', 'Nairobi', 'Toronto', 'Lisbon', 'Osaka', 'Dublin', 'Prague'];
/** N and P stand for a name and a place. */
const sentences = [
  'Please write a letter to N, who lives in P.',
  'N called from P about the invoice.',
  'The contract with N was signed in P last year.',
  'My doctor is N; her practice is in P.',
  'Book a flight to P for N.',
  'Is N still working at our office in P?',
  '👩‍🚀 N moved from P to the coast 🌊 in 2019.',
  'Translate: "N met the mayor of P."',
];
const kinds = ['person-name', 'address'] as const;

interface Labelled {
  readonly text: string;
  readonly name: string;
  readonly place: string;
}

function labelled(count: number, seed: number): readonly Labelled[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => {
    const name = `${random.pick(first)} ${random.pick(last)}`;
    const place = random.pick(places);
    return { name, place, text: random.pick(sentences).replace('N', name).replace('P', place) };
  });
}

describe('names and addresses by a real analyzer', { concurrency: 1 }, () => {
  let analyzer: RealAnalyzer;
  let world: GuardedGateway;
  let key: string;
  before(async () => {
    analyzer = await startRealAnalyzer();
    const entityAnalyzer = { baseUrl: analyzer.url, timeout: 60_000, language: 'en', scoreThreshold: 0.5 };
    world = await startGuarded({ config: { entityAnalyzer } });
    key = await world.gateway.createKey();
    const rules = { content_filter_builtins: kinds.map((slug) => ({ slug, action: 'redact' })) };
    await world.guard(rules, { keys: [hashKey(key)] });
  });
  after(async () => {
    await world?.stop();
    await analyzer?.[Symbol.asyncDispose]();
  });

  async function sentOf(text: string): Promise<string> {
    const answer = await world.ask({ input: text }, key);
    assert.equal(answer.status, 200, answer.text);
    const body = world.upstream.requests.at(-1)?.body as { messages: { content: string }[] };
    return body.messages.at(-1)?.content ?? '';
  }
  async function recognised(text: string): Promise<readonly string[]> {
    const settings = { baseUrl: analyzer.url, timeout: 60_000, language: 'en', scoreThreshold: 0.5 };
    const found = await askAnalyzer(settings, text, ['PERSON', 'LOCATION'], AbortSignal.timeout(60_000));
    return found.map(({ start, end }) => text.slice(start, end));
  }

  test('whatever it recognises is gone, and what it recognises of labelled texts is reported', async (t) => {
    const examples = labelled(200, 1);
    const count = { names: 0, places: 0, byAnalyzer: 0 };
    for (const { text, name, place } of examples) {
      const [found, sent] = [await recognised(text), await sentOf(text)];
      for (const piece of found) assert.ok(!sent.includes(piece), `${piece} left: ${sent}`);
      const isFound = (value: string) => found.some((piece) => piece.includes(value));
      count.byAnalyzer += Number(isFound(name)) + Number(isFound(place));
      count.names += Number(!sent.includes(name));
      count.places += Number(!sent.includes(place));
    }
    const share = (part: number, of: number) => `${((100 * part) / of).toFixed(1)} %`;
    t.diagnostic(
      `recall of the analyzer: ${share(count.byAnalyzer, examples.length * 2)}; through the gateway: names ${share(
        count.names,
        examples.length,
      )}, places ${share(count.places, examples.length)}`,
    );
    assert.ok(count.names + count.places >= count.byAnalyzer, 'nothing that it found was lost');
    assert.ok(count.names > examples.length / 2 && count.places > examples.length / 2);
  });

  test('a text of several questions is read to its end', async () => {
    const filler = 'All work and no play makes a dull day. '.repeat(1_500);
    const sent = await sentOf(`${filler}Maria Rossi called from Chicago.`);
    assert.ok(filler.length > 50_000 && !sent.includes('Maria Rossi'), sent.slice(-80));
    assert.match(sent, /\[PERSON_NAME\] called from \[ADDRESS\]\.$/);
  });

  test('a language that it does not know is a failure of it: redaction goes on and says so', async () => {
    const other = { baseUrl: analyzer.url, timeout: 60_000, language: 'xx', scoreThreshold: 0.5 };
    const foreign = await startGuarded({ config: { entityAnalyzer: other } });
    try {
      const rules = { content_filter_builtins: [{ slug: 'person-name', action: 'redact' }] };
      await foreign.guard(rules, { keys: [foreign.gateway.keyHash] });
      const { status, body } = await foreign.ask('Maria Rossi called.');
      assert.equal(status, 200);
      assert.equal(body.service_metadata.pipeline[0].data.failed, true);
    } finally {
      await foreign.stop();
    }
  });
});
