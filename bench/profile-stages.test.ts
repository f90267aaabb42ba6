import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Profile, stageOf } from './cpu-profile.ts';
import { stageTable, timesByStage } from './profile-stages.ts';

const source = (path: string) => pathToFileURL(join(import.meta.dirname, '..', path)).href;
const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9 });

/** The edge's code calls a library, which calls the pipeline; one millisecond a sample. */
const profile: Profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('emit', 'node:events'), children: [5] },
    { id: 5, callFrame: frame('answer', source('src/edge/app.ts')), children: [6] },
    { id: 6, callFrame: frame('route', source('node_modules/fastify/route.js')), children: [7, 8] },
    { id: 7, callFrame: frame('run', source('src/pipeline/run.ts')), children: [9] },
    { id: 8, callFrame: frame('writev') },
    { id: 9, callFrame: frame('parse') },
  ],
  startTime: 1000,
  samples: [5, 2, 3, 4, 5, 6, 7, 8, 9, 9],
  timeDeltas: Array.from({ length: 10 }, () => 1000),
};
// The first sample is of the time before.
const spans = [{ from: 2500, to: 12_000 }];

test('times go by stage, during the spans alone and without what was idle', () => {
  const { itself, withCalled } = timesByStage(profile, spans);
  assert.deepEqual(Object.fromEntries(itself), {
    edge: 1000,
    'garbage collector': 1000,
    node: 1000,
    libraries: 1000,
    pipeline: 1000,
    native: 3000,
  });
  assert.deepEqual(Object.fromEntries(withCalled), {
    edge: 3000,
    'garbage collector': 1000,
    node: 1000,
    pipeline: 3000,
  });
});

test("a library's WebAssembly is the library's", () => {
  const parser = { id: 1, callFrame: frame('wasm-function[20]', 'wasm://wasm/00034eea') };
  assert.equal(stageOf(parser), 'libraries');
});

test('the table is in microseconds a request and sums up to all', () => {
  const lines = stageTable(timesByStage(profile, spans), 10).map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    lines.find(([stage]) => stage === 'edge'),
    ['edge', '100.0', '300.0'],
  );
  assert.deepEqual(lines.at(-1), ['all', '800.0', '800.0']);
});
