import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallChanges } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, decodeWhole, joinPieces } from '../../../test/support/adapter-harness.ts';
import { geminiAnswer, geminiStream, wholeGeminiAnswer } from '../../../test/support/gemini-answers.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { googleGeminiAdapter } from './google-gemini-adapter.ts';
import type { Answer, Part } from './wire.ts';

const stop = { finishReason: 'STOP' } as const;
const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };
const told = { uncachedInput: 7, output: 3 };
const start: Delta = { kind: 'start', upstreamId: 'resp-1' };
const ended: Delta[] = [
  { kind: 'usage', usage: told },
  { kind: 'finish', reason: 'stop', native: 'STOP' },
];

/** The deltas of a stream, which must be those of the whole answer, of a list, and of every way to cut the bytes. */
function decode(answers: readonly Answer[], changes: CallChanges = {}): Delta[] {
  const stream = geminiStream(answers);
  const deltas = joinPieces(decodeStream(googleGeminiAdapter, stream, changes));
  const whole = decodeWhole(
    googleGeminiAdapter,
    JSON.parse(JSON.stringify(wholeGeminiAnswer(answers))),
    changes,
  );
  assert.deepEqual(joinPieces(whole), deltas);
  const length = Buffer.byteLength(stream);
  for (let cut = 1; cut < length; cut++) {
    const pieces = joinPieces(decodeStream(googleGeminiAdapter, stream, changes, [cut, length]));
    assert.deepEqual(pieces, deltas, `cut after ${cut} bytes`);
  }
  return deltas;
}

function failureOf(run: () => unknown): HeadgateError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return thrown;
    throw thrown;
  }
  throw new Error('nothing failed');
}

test('text arrives in pieces and ends with the stream', () => {
  const deltas = decode([
    geminiAnswer([{ text: 'Guten ' }]),
    geminiAnswer([{ text: 'Tag, 🌊' }]),
    geminiAnswer([{ text: '' }], { ...stop, usageMetadata }),
  ]);
  assert.deepEqual(deltas, [
    start,
    { kind: 'text', block: 0, text: 'Guten Tag, 🌊' },
    { kind: 'end', block: 0 },
    ...ended,
  ]);
});

test('thoughts are summaries, and the call they led to lends them its signature', () => {
  const deltas = decode([
    geminiAnswer([{ text: '**Tides**\n\nLook ', thought: true }]),
    geminiAnswer([{ text: 'them up.', thought: true }]),
    geminiAnswer([
      {
        functionCall: { id: 'fc-1', name: 'get_tide', args: { port: 'Brest' } },
        thoughtSignature: 'U0lH+/=',
      },
      { functionCall: { name: 'get_time', args: {} } },
    ]),
    geminiAnswer([], { ...stop, usageMetadata }),
  ]);
  assert.deepEqual(deltas, [
    start,
    { kind: 'summary', block: 0, text: '**Tides**\n\nLook them up.' },
    { kind: 'seal', block: 0, format: 'google-gemini-v1', signature: 'U0lH+/=' },
    { kind: 'end', block: 0 },
    { kind: 'call', block: 1, form: 'function', name: 'get_tide', callId: 'fc-1' },
    { kind: 'arguments', block: 1, text: '{"port":"Brest"}' },
    { kind: 'end', block: 1 },
    { kind: 'call', block: 2, form: 'function', name: 'get_time' },
    { kind: 'arguments', block: 2, text: '{}' },
    { kind: 'end', block: 2 },
    { kind: 'usage', usage: told },
    { kind: 'finish', reason: 'tool_calls', native: 'STOP' },
  ]);
});

test('a signed call without thoughts before it gets an item for its signature', () => {
  const call = { functionCall: { name: 'get_tide', args: { port: 'Brest' } }, thoughtSignature: 'AA' };
  const deltas = decode([
    geminiAnswer([{ text: 'One moment.' }]),
    geminiAnswer([call], { ...stop, usageMetadata }),
  ]);
  assert.deepEqual(deltas.slice(2, 6), [
    { kind: 'end', block: 0 },
    { kind: 'seal', block: 1, format: 'google-gemini-v1', signature: 'AA' },
    { kind: 'end', block: 1 },
    { kind: 'call', block: 2, form: 'function', name: 'get_tide' },
  ]);
});

test('what vouches for a text comes after it, if the caller wants it', () => {
  const answers = [
    geminiAnswer([{ text: 'Think', thought: true, thoughtSignature: 'T' }]),
    geminiAnswer([{ text: 'High ' }]),
    geminiAnswer([{ text: 'at 6.' }]),
    geminiAnswer([{ text: '', thoughtSignature: 'S' }], { ...stop, usageMetadata }),
  ];
  const wanted = decode(answers, { request: { includeEncryptedReasoning: true } });
  assert.deepEqual(wanted.slice(2), [
    { kind: 'seal', block: 0, format: 'google-gemini-v1', encrypted: 'T' },
    { kind: 'end', block: 0 },
    { kind: 'text', block: 1, text: 'High at 6.' },
    { kind: 'end', block: 1 },
    { kind: 'seal', block: 2, format: 'google-gemini-v1', encrypted: 'S' },
    { kind: 'end', block: 2 },
    ...ended,
  ]);
  assert.equal(decode(answers).filter(({ kind }) => kind === 'seal').length, 1);
});

test('two signed texts stay two', () => {
  const parts: Part[] = [
    { text: 'One.', thoughtSignature: 'A' },
    { text: 'Two.', thoughtSignature: 'B' },
  ];
  const deltas = decode([geminiAnswer(parts, stop)], { request: { includeEncryptedReasoning: true } });
  const seals = deltas.flatMap((delta) => (delta.kind === 'seal' ? delta.encrypted : []));
  const texts = deltas.flatMap((delta) => (delta.kind === 'text' ? delta.text : []));
  assert.deepEqual(
    [texts, seals],
    [
      ['One.', 'Two.'],
      ['A', 'B'],
    ],
  );
});

test('long numbers in arguments keep their digits', () => {
  const stream = geminiStream([geminiAnswer([], stop)]).replace(
    '"parts":[]',
    '"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}]',
  );
  const deltas = decodeStream(googleGeminiAdapter, stream);
  assert.deepEqual(deltas[2], { kind: 'arguments', block: 0, text: '{"id":12345678901234567890}' });
});

test('code the provider ran is one item that keeps its parts', () => {
  const parts: Part[] = [
    { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' }, thoughtSignature: 'C' },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
    { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } },
  ];
  const deltas = decode([
    geminiAnswer(parts.slice(0, 1)),
    geminiAnswer(parts.slice(1)),
    geminiAnswer([{ text: 'It is 42.' }], { ...stop, usageMetadata }),
  ]);
  assert.deepEqual(deltas.slice(1, 6), [
    { kind: 'hosted', block: 0, type: 'code_interpreter_call', fields: { container_id: '' } },
    { kind: 'fragment', block: 0, text: 'print(6 * 7)' },
    { kind: 'stage', block: 0, stage: 'interpreting' },
    {
      kind: 'result',
      block: 0,
      fields: {
        code: 'print(6 * 7)',
        container_id: '',
        outputs: [
          { type: 'logs', logs: '42\n' },
          { type: 'image', url: 'data:image/png;base64,iVBORw==' },
        ],
        format: 'google-gemini-v1',
        signature: JSON.stringify(parts),
      },
    },
    { kind: 'end', block: 0 },
  ]);
});

test('pictures are items of their own; drafts among the thoughts are not shown', () => {
  const deltas = decode([
    geminiAnswer([{ inlineData: { mimeType: 'image/png', data: 'ZHJhZnQ=' }, thought: true }]),
    geminiAnswer(
      [{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw==' }, thoughtSignature: 'P' }],
      {
        ...stop,
        usageMetadata,
      },
    ),
  ]);
  assert.deepEqual(deltas.slice(3, -2), [
    { kind: 'hosted', block: 1, type: 'image_generation_call' },
    { kind: 'stage', block: 1, stage: 'generating' },
    {
      kind: 'result',
      block: 1,
      fields: {
        result: 'iVBORw==',
        format: 'google-gemini-v1',
        signature: '[{"inlineData":{"mimeType":"image/png"},"thoughtSignature":"P"}]',
      },
    },
    { kind: 'end', block: 1 },
  ]);
});

test('a grounded answer cites its sources by UTF-16 offsets and reports its search', () => {
  const groundingMetadata = {
    webSearchQueries: ['marée Brest', 'Brest tide'],
    groundingChunks: [
      { web: { uri: 'https://example.test/a', title: 'a' } },
      { web: { uri: 'https://example.test/b', title: 'b' } },
    ],
    groundingSupports: [
      {
        segment: { startIndex: 11, endIndex: 28, text: 'Marée haute à 6' },
        groundingChunkIndices: [0, 1, 7],
      },
      { segment: { text: 'not there' }, groundingChunkIndices: [0] },
    ],
  };
  const deltas = decode([
    geminiAnswer([{ text: '🌊 Zoë: Marée ' }]),
    geminiAnswer([{ text: 'haute à 6 h.' }]),
    geminiAnswer([{ text: '' }], { ...stop, groundingMetadata, usageMetadata }),
  ]);
  const text = '🌊 Zoë: Marée haute à 6 h.';
  const start_index = text.indexOf('Marée');
  const end_index = start_index + 'Marée haute à 6'.length;
  const span = { start_index, end_index };
  const [a, b] = ['https://example.test/a', 'https://example.test/b'];
  assert.deepEqual(deltas.slice(1), [
    { kind: 'text', block: 0, text },
    { kind: 'annotation', block: 0, annotation: { type: 'url_citation', url: a, title: 'a', ...span } },
    { kind: 'annotation', block: 0, annotation: { type: 'url_citation', url: b, title: 'b', ...span } },
    { kind: 'end', block: 0 },
    { kind: 'hosted', block: 1, type: 'web_search_call' },
    { kind: 'stage', block: 1, stage: 'searching' },
    {
      kind: 'result',
      block: 1,
      fields: {
        action: {
          type: 'search',
          query: 'marée Brest',
          queries: ['marée Brest', 'Brest tide'],
          sources: [
            { type: 'url', url: a },
            { type: 'url', url: b },
          ],
        },
      },
    },
    { kind: 'end', block: 1 },
    { kind: 'usage', usage: { ...told, webSearches: 2 } },
    { kind: 'finish', reason: 'stop', native: 'STOP' },
  ]);
});

test('searches shown as calls keep their parts, pages report their status', () => {
  const parts: Part[] = [
    {
      toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['tide'] } },
      thoughtSignature: 'Q',
    },
    { toolResponse: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', response: { search_suggestions: 'x' } } },
  ];
  const shown = decode([geminiAnswer(parts), geminiAnswer([{ text: 'At 6.' }], stop)]);
  assert.deepEqual(shown.slice(1, 5), [
    { kind: 'hosted', block: 0, type: 'web_search_call', id: 't1' },
    { kind: 'stage', block: 0, stage: 'searching' },
    {
      kind: 'result',
      block: 0,
      fields: {
        action: { type: 'search', query: 'tide', queries: ['tide'] },
        format: 'google-gemini-v1',
        signature: JSON.stringify(parts),
      },
    },
    { kind: 'end', block: 0 },
  ]);
  const counted = decode([
    geminiAnswer(parts),
    geminiAnswer([{ text: 'At 6.' }], { ...stop, usageMetadata }),
  ]);
  assert.deepEqual(counted.at(-2), { kind: 'usage', usage: { ...told, webSearches: 1 } });
  const urlContextMetadata = {
    urlMetadata: [
      { retrievedUrl: 'https://example.test/a', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' as const },
      { retrievedUrl: 'https://example.test/b', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_PAYWALL' as const },
    ],
  };
  const pages = decode([geminiAnswer([{ text: 'At 6.' }], { ...stop, urlContextMetadata })]);
  const results = pages.filter((delta) => delta.kind === 'result');
  assert.deepEqual(
    results.map(({ fields, failed }) => [fields.action, failed]),
    [
      [{ type: 'open_page', url: 'https://example.test/a' }, undefined],
      [{ type: 'open_page', url: 'https://example.test/b' }, true],
    ],
  );
});

test('log probabilities go with the text of their event', () => {
  const logprobsResult = {
    chosenCandidates: [{ token: 'é', logProbability: -0.25 }],
    topCandidates: [
      {
        candidates: [
          { token: 'é', logProbability: -0.25 },
          { token: 'e', logProbability: -2 },
        ],
      },
    ],
  };
  const deltas = decode([geminiAnswer([{ text: 'é' }], { ...stop, logprobsResult })]);
  const chosen = { token: 'é', logprob: -0.25, bytes: [195, 169] };
  const logprobs = [{ ...chosen, top_logprobs: [chosen, { token: 'e', logprob: -2, bytes: [101] }] }];
  assert.deepEqual(deltas[1], { kind: 'text', block: 0, text: 'é', logprobs });
});

test('the reasons to stop are those of the gateway', () => {
  const reasons = [
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['OTHER', 'stop'],
  ] as const;
  for (const [native, reason] of reasons) {
    const deltas = decode([geminiAnswer([{ text: 'So' }], { finishReason: native })]);
    assert.deepEqual(deltas.at(-1), { kind: 'finish', reason, native });
  }
});

test('a malformed answer is a failed provider, and its usage is reported', () => {
  const deltas: Delta[] = [];
  const decoder = (answer: object) => decodeStream(googleGeminiAdapter, geminiStream([answer]));
  for (const finishReason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'OTHER'] as const) {
    const error = failureOf(() => deltas.push(...decoder(geminiAnswer([], { finishReason, usageMetadata }))));
    assert.equal(error.code, 'provider_failed');
    assert.equal(error.metadata.provider_code, finishReason);
  }
});

test('a blocked prompt is refused content', () => {
  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata };
  const streamed = failureOf(() => decodeStream(googleGeminiAdapter, geminiStream([blocked])));
  const whole = failureOf(() => decodeWhole(googleGeminiAdapter, blocked));
  for (const error of [streamed, whole]) {
    assert.equal(error.code, 'upstream_policy');
    assert.equal(error.metadata.provider_code, 'PROHIBITED_CONTENT');
  }
});

test('a failure inside the stream is that failure, a broken event or an early end a failed provider', () => {
  const begun = geminiStream([geminiAnswer([{ text: 'So' }])]);
  const error = { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } };
  const broken = [
    [begun + geminiStream([error]), 'provider_overloaded'],
    [`${begun}data: {"candidates":[{"con\r\n\r\n`, 'provider_failed'],
    [`${begun}data: {"candidates":7}\r\n\r\n`, 'provider_failed'],
    [begun, 'provider_failed'],
    ['', 'provider_failed'],
  ] as const;
  for (const [stream, code] of broken) {
    assert.equal(failureOf(() => decodeStream(googleGeminiAdapter, stream)).code, code);
  }
});

test('unknown members, other candidates and odd events do no harm', () => {
  const deltas = decodeStream(
    googleGeminiAdapter,
    geminiStream([
      { novelty: 1 },
      { candidates: null },
      { candidates: [{ content: { parts: [{ novelty: {} }, {}] }, novelty: true }] },
      { candidates: [{ index: 1, content: { parts: [{ text: 'second' }] }, finishReason: 'STOP' }] },
      { candidates: [{ content: { parts: null } }] },
      { candidates: [{ content: { parts: [{ text: 'first' }] }, finishReason: 'STOP' }], responseId: 'late' },
    ]),
  );
  assert.deepEqual(deltas, [
    { kind: 'start' },
    { kind: 'text', block: 0, text: 'first' },
    { kind: 'end', block: 0 },
    { kind: 'finish', reason: 'stop', native: 'STOP' },
  ]);
});
