import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Profile, ProfileNode } from './cpu-profile.ts';
import { flameGraph, largestPicture, writeFlameGraphs } from './flame-graph.ts';

const source = (path: string) => pathToFileURL(join(import.meta.dirname, '..', path)).href;
const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9 });

/** One millisecond a sample. */
function profileOf(nodes: readonly ProfileNode[], samples: readonly number[]): Profile {
  return { nodes, startTime: 0, samples, timeDeltas: samples.map(() => 1000) };
}

const profile = profileOf(
  [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 12] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('emit', 'node:events'), children: [5] },
    { id: 5, callFrame: frame('onread', 'node:net'), children: [6] },
    { id: 6, callFrame: frame('answer', source('src/edge/app.ts')), children: [7] },
    { id: 7, callFrame: frame('', source('node_modules/fastify/route.js')), children: [8, 9] },
    { id: 8, callFrame: frame('<run> & "go"\u0000', source('src/pipeline/run.ts')), children: [10] },
    { id: 9, callFrame: frame('writev') },
    { id: 10, callFrame: frame('walk', source('src/routing/plan.ts')), children: [11] },
    { id: 11, callFrame: frame('walk', source('src/routing/plan.ts')) },
    { id: 12, callFrame: frame('count', source('src/metrics/counters.ts')) },
  ],
  [9, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12],
);
// The first sample is of the time before.
const spans = [{ from: 1500, to: 20_000 }];
const title = { gateway: 'gateway <1>', part: 'unstreamed', answers: 10 };

test('boxes lie within their callers, in the order of time, and are as wide as their share', () => {
  const boxes = boxesOf(flameGraph(title, profile, spans));
  const known = boxes.map(({ style, title: tip, width }) => [style, tip, Math.round((width / 1200) * 11)]);
  assert.deepEqual(known, [
    ['all', 'all: 1100.0 µs a request, 100.0 %', 11],
    ['node', 'emit node:events:10: 900.0 µs a request, 81.8 %', 9],
    ['edge', 'answer src/edge/app.ts:10: 700.0 µs a request, 63.6 %', 7],
    ['libraries', 'anonymous fastify/route.js:10: 600.0 µs a request, 54.5 %', 6],
    ['pipeline', '<run> & "go"? src/pipeline/run.ts:10: 300.0 µs a request, 27.3 %', 3],
    ['routing', 'walk src/routing/plan.ts:10: 200.0 µs a request, 18.2 %', 2],
    ['native', 'writev: 100.0 µs a request, 9.1 %', 1],
    ['garbage-collector', '(garbage collector): 100.0 µs a request, 9.1 %', 1],
    ['other-parts', 'count src/metrics/counters.ts:10: 100.0 µs a request, 9.1 %', 1],
  ]);
  assertNested(boxes);
});

test('the title names load, time and requests; the legend sums up to the time', () => {
  const [picture] = readXml(flameGraph({ ...title, answers: 11_000 }, profile, spans));
  const texts = picture?.children.map(textOf) ?? [];
  assert.equal(texts[0], 'gateway <1>, unstreamed: 1.0 µs a request on the main thread (11,000 requests)');
  const legend = picture?.children.filter(({ tag }) => tag === 'g').map(textOf) ?? [];
  assert.equal(legend.length, 12);
  const sum = legend.reduce((total, entry) => total + Number(/[\d.]+$/.exec(entry)?.[0]), 0);
  assert.ok(Math.abs(sum - 1) <= 12 * 0.05, legend.join());
});

test('calls too narrow share a box, and a large profile becomes a picture of bounded size', () => {
  const callers = Array.from({ length: 600 }, (_, at) => at + 2);
  const file = source(`src/edge/${'long-'.repeat(30)}name.ts`);
  const nodes: ProfileNode[] = [{ id: 1, callFrame: frame('(root)'), children: [...callers, 5000] }];
  for (const id of callers) {
    nodes.push({ id, callFrame: frame(`caller${id}`, file), children: [id + 1000, id + 2000] });
    nodes.push({ id: id + 1000, callFrame: frame(`one${id}`, file) });
    nodes.push({ id: id + 2000, callFrame: frame(`other${id}`, file) });
  }
  nodes.push({ id: 5000, callFrame: frame('large', file) });
  const samples = [...callers.flatMap((id) => [id + 1000, id + 2000]), ...callers.map(() => 5000)];
  const all = [{ from: 0, to: 1e9 }];
  const few = boxesOf(flameGraph(title, profileOf(nodes, samples), all));
  // 600 calls of 1.3 pixels each beside one of 400.
  assert.deepEqual(
    few.map(({ title: tip }) => tip.replace(/:\d+: .*/, '').replace(/: .*/, '')),
    ['all', `large src/edge/${'long-'.repeat(30)}name.ts`, '600 functions'],
  );
  assertNested(few);

  // Alone each of them would be seen: two pixels.
  const wide = profileOf(nodes.slice(0, -1), samples.slice(0, 1200));
  const picture = flameGraph(title, wide, all);
  assert.ok(Buffer.byteLength(picture) <= largestPicture);
  assert.deepEqual(
    boxesOf(picture).map(({ title: tip }) => tip.replace(/: .*/, '')),
    ['all', '600 functions'],
  );
});

test('a profile without a busy moment is a picture all the same', () => {
  const boxes = boxesOf(flameGraph({ ...title, answers: 1 }, profile, []));
  assert.deepEqual(
    boxes.map(({ title: tip, width }) => [tip, width]),
    [['all: 0.0 µs a request, 0.0 %', 0]],
  );
});

test('each part has its file, named after gateway and part', () => {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-flame-'));
  try {
    const threads = [{ pid: 1, thread: 0, profile }];
    const part = { gateway: 'bare proxy', part: 'streamed', spans, answers: 10, threads };
    const files = writeFlameGraphs(directory, [part, { ...part, threads: [] }]);
    assert.deepEqual(
      files.map((file) => basename(file)),
      ['flame-bare-proxy-streamed.svg'],
    );
    assert.equal(boxesOf(readFileSync(files[0] ?? '', 'utf8')).length, 9);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

interface Box {
  readonly style: string;
  readonly title: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

function boxesOf(picture: string): readonly Box[] {
  const [root] = readXml(picture);
  return (root?.children ?? [])
    .filter(({ tag }) => tag === 'svg')
    .map(({ attributes, children: [first] }) => ({
      style: attributes.class ?? '',
      title: first?.tag === 'title' ? textOf(first) : '',
      left: Number(attributes.x),
      top: Number(attributes.y),
      width: Number(attributes.width),
    }));
}

/** Each box but the first lies within one of the row above, and no two of a row overlap; to the tenth of a pixel. */
function assertNested(boxes: readonly Box[]): void {
  const rounding = 0.21;
  const [whole, ...others] = boxes;
  assert.ok(whole !== undefined);
  for (const box of others) {
    const callers = boxes.filter(
      ({ top, left, width }) =>
        top === box.top - 17 &&
        left <= box.left + rounding &&
        box.left + box.width <= left + width + rounding,
    );
    assert.equal(callers.length, 1, `${box.title} lies in ${callers.length} boxes`);
  }
  for (const row of Map.groupBy(boxes, ({ top }) => top).values()) {
    const sorted = row.toSorted((one, other) => one.left - other.left);
    sorted.slice(1).forEach((box, at) => {
      const before = sorted[at];
      assert.ok(before !== undefined && before.left + before.width <= box.left + rounding, box.title);
    });
  }
}

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads the XML that pictures are made of, and fails on anything that is not well formed. */
function readXml(text: string): readonly Element[] {
  const document: Element = { tag: '', attributes: {}, children: [], text: '' };
  const open = [document];
  for (const [piece, close, tag = '', attributes = '', empty] of text.matchAll(pieces)) {
    const around = open.at(-1) ?? document;
    if (close !== undefined) {
      assert.equal(open.pop()?.tag, close);
    } else if (tag === '') {
      around.text += plain(piece);
    } else {
      const element: Element = { tag, attributes: readAttributes(attributes), children: [], text: '' };
      around.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  assert.equal(open.length, 1, 'every element is closed');
  assert.equal(document.children.length, 1, 'one root');
  return document.children;
}

const pieces = /<\/(\w+)>|<(\w+)((?: [\w-]+="[^"<]*")*)(\/?)>|[^<]+|</g;

function readAttributes(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  const attributes = Object.fromEntries(found.map(([name, value]) => [name, plain(value ?? '')]));
  assert.equal(Object.keys(attributes).length, found.length, `an attribute twice: ${text}`);
  return attributes;
}

function plain(text: string): string {
  assert.doesNotMatch(text, /<|&(?!(?:amp|lt|gt|quot);)|(?!\n)\p{Cc}/u);
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function textOf({ text, children }: Element): string {
  return text + children.map(textOf).join('');
}
