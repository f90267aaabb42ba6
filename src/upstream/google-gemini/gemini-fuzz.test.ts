import { describeFuzz } from '../../../test/support/describe-fuzz.ts';
import { geminiAnswer, geminiStream } from '../../../test/support/gemini-answers.ts';
import { withJunk } from '../../../test/support/reads-cleanly.ts';
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

describeFuzz({
  adapter,
  changes: {
    endpoint: { upstreamModel: 'gemini-3-flash-preview' },
    request: { includeEncryptedReasoning: true },
  },
  events,
  failure: { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } },
  bytesOf: (chosen) => Buffer.from(geminiStream(chosen)),
  spoil: withJunk,
});
