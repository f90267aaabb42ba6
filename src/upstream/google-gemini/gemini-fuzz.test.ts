import { test } from 'node:test';
import fc from 'fast-check';
import { geminiAnswer, geminiStream } from '../../../test/support/gemini-answers.ts';
import { readsCleanly, withJunk } from '../../../test/support/reads-cleanly.ts';
import { googleGeminiAdapter as adapter } from './google-gemini-adapter.ts';

const groundingMetadata = {
  webSearchQueries: ['tide'],
  groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
  groundingSupports: [{ segment: { startIndex: 5, endIndex: 9 }, groundingChunkIndices: [0] }],
};

/** One answer with everything in it. */
const events: readonly unknown[] = [
  geminiAnswer([{ text: 'Hm 漢字', thought: true }]),
  geminiAnswer([{ text: ' so', thought: true, thoughtSignature: 'T' }]),
  geminiAnswer([{ toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['tide'] } } }]),
  geminiAnswer([{ toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', response: { a: 1 } } }]),
  geminiAnswer([{ executableCode: { language: 'PYTHON', code: 'print(1)' }, thoughtSignature: 'C' }]),
  geminiAnswer([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }]),
  geminiAnswer([{ inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }]),
  geminiAnswer([{ text: 'Noon 👩‍🚀' }], {
    logprobsResult: { chosenCandidates: [{ token: 'Noon', logProbability: -1 }], topCandidates: [] },
  }),
  geminiAnswer([{ text: '', thoughtSignature: 'S' }]),
  geminiAnswer([{ text: 'Two.', thoughtSignature: 'U' }]),
  geminiAnswer([{ inlineData: { mimeType: 'image/png', data: 'iVBORw==' }, thoughtSignature: 'P' }]),
  geminiAnswer([{ functionCall: { id: 'f', name: 'f', args: { a: 1 } }, thoughtSignature: 'F' }]),
  geminiAnswer([{ functionCall: { name: 'g' } }]),
  { somethingNew: { of: 'later' } },
  geminiAnswer([], {
    finishReason: 'STOP',
    groundingMetadata,
    urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.test' }] },
    citationMetadata: { citations: [{ startIndex: 0, endIndex: 3, uri: 'https://a.test' }] },
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9, serviceTier: 'flex' },
  }),
];
const bytesOf = (chosen: readonly unknown[]) => [Buffer.from(geminiStream(chosen))];
const changes = {
  endpoint: { upstreamModel: 'gemini-3-flash-preview' },
  request: { includeEncryptedReasoning: true },
};
const read = (chunks: readonly Buffer[]) => readsCleanly(adapter, chunks, changes);

test('whole, it is a legal stream', () => read(bytesOf(events)));

test('events repeated, left out or in another order are a legal stream or a clean error', () => {
  const failing = { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } };
  const chosen = fc.array(fc.nat(events.length), { maxLength: 40 });
  fc.assert(
    fc.property(chosen, (order) => read(bytesOf(order.map((index) => events[index] ?? failing)))),
    { numRuns: 400 },
  );
  fc.assert(
    fc.property(fc.shuffledSubarray([...events], { minLength: events.length }), (order) =>
      read(bytesOf(order)),
    ),
    { numRuns: 200 },
  );
});

test('bytes spoilt or cut off are a legal stream or a clean error', () => {
  const [whole = Buffer.alloc(0)] = bytesOf(events);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, end) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      read([bytes.subarray(0, end)]);
    }),
    { numRuns: 400 },
  );
});

test('members of any type are a legal stream or a clean error', () => {
  const junk = fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.string(),
    fc.constant([]),
    fc.constant({}),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.nat(events.length - 1), fc.nat(20), junk, (index, place, value) => {
      read(bytesOf(events.map((event, at) => (at === index ? withJunk(event, place, value) : event))));
    }),
    { numRuns: 800 },
  );
});
