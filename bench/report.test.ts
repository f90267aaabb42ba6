import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figure, PartResult } from './figures.ts';
import { type Report, reportAsJson, reportAsText } from './report.ts';

const rate: Figure = {
  key: 'unstreamed.requests_per_second',
  label: 'requests, unstreamed',
  unit: 'requests/s',
  better: 'higher',
  yardstick: 10_000,
  subject: 6100,
  ratio: 0.61,
  interval: [0.592, 0.63],
  third: { value: 2000, ratio: 0.2 },
};

const parts: readonly PartResult[] = [
  {
    sides: { yardstick: 'bare proxy', subject: 'headgate', third: 'portkey' },
    figures: [rate],
    phases: [{ part: 'unstreamed' }],
    notes: ['unstreamed: a remark'],
  },
  {
    sides: { yardstick: 'bare proxy', subject: 'headgate' },
    figures: [
      {
        key: 'memory.resident_megabytes',
        label: 'memory',
        unit: 'MB',
        better: 'lower',
        yardstick: 300,
        subject: 500,
        ratio: 1.67,
      },
    ],
    phases: [],
    notes: [],
  },
  {
    sides: { yardstick: 'small', subject: 'large' },
    figures: [
      {
        key: 'scale.keys.x',
        label: 'keys',
        unit: 'µs',
        better: 'lower',
        yardstick: 100,
        subject: 100,
        ratio: 1,
      },
    ],
    phases: [],
    notes: [],
  },
];

const report: Report = {
  yardstick: 'bare proxy',
  subject: 'headgate',
  isJudged: true,
  machine: {
    cpu: 'a processor',
    cores: 2,
    memoryBytes: 2 ** 33,
    node: 'v26.10.0',
    kernel: '6',
    pinning: 'none',
    dataFileSystem: 'ext4',
  },
  settings: {},
  startedAt: '2026-11-21T00:00:00.000Z',
  seconds: 1,
  parts,
  notes: ['portkey: absent'],
  problems: [],
};

const rowOf = (text: string, label: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(label))
    ?.split(/ {2,}/);

test('parts with the same sides share a table; only figures of the third gateway show it', () => {
  const text = reportAsText(report);
  assert.equal(text.split('\n').filter((line) => line.includes('better is')).length, 2);
  assert.deepEqual(rowOf(text, 'requests, unstreamed'), [
    'requests, unstreamed (requests/s)',
    '10000',
    '6100',
    '0.610',
    '0.592 to 0.630',
    '2000',
    '0.200',
    'higher',
    'ratio 0.600: met',
  ]);
  assert.deepEqual(rowOf(text, 'memory'), ['memory (MB)', '300', '500', '1.67', 'lower', '400 MB: MISSED']);
  assert.match(text, /^unstreamed: a remark$/m);
  assert.match(text, /^portkey: absent$/m);
});

test('another gateway has no goals', () => {
  const text = reportAsText({ ...report, isJudged: false });
  assert.doesNotMatch(text, /goal|MISSED/);
});

test('JSON keeps yardstick, subject and ratio of every figure, with its sides and its goal', () => {
  const { ok, figures, notes, phases } = JSON.parse(reportAsJson(report));
  assert.equal(ok, true);
  assert.deepEqual(figures[0], {
    ...rate,
    sides: parts[0]?.sides,
    goal: { of: 'ratio', limit: 0.6, reached: 0.63, met: true },
  });
  assert.equal('goal' in figures[2], false);
  assert.deepEqual(notes, ['unstreamed: a remark', 'portkey: absent']);
  assert.equal(phases.length, 1);
});
