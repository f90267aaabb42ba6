import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { usualRoutingRules } from '../core/routing-rules.ts';
import type { Config } from './config.ts';
import { loadConfig } from './load-config.ts';
import { showConfig } from './show-config.ts';

const folder = temporaryFolder();

async function load(text: string): Promise<Config> {
  await writeFile(join(folder, 'f'), text);
  return (await loadConfig({ file: 'f', environment: {}, directory: folder })).config;
}

const shownUsually = {
  max_models: 10,
  max_attempts: 10,
  retry_same: true,
  sticky_lifetime: '600s',
  health: {
    uptime_requests: 100,
    reliable_uptime: 0.95,
    usable_uptime: 0.8,
    outage_failures: 2,
    outage_share: 0.2,
    rate_limit_wait: '10s',
    rate_limit_wait_max: '60s',
  },
  exacto: {
    throughput_requests: 100,
    throughput_deviations: 1.5,
    tool_call_requests: 200,
    tool_call_deviations: 2,
    benchmark_deviations: 2,
    peers: 4,
  },
  auto: { default_models: [], priors: {}, classifier_model: null, classifier_timeout: '300ms' },
  bodybuilder: { model: null },
};

test('without settings the usual numbers hold, and are shown as the file would say them', async () => {
  const config = await load('{}');
  assert.deepEqual(config.routing, { ...usualRoutingRules, fusion: config.tools.fusion });
  assert.deepEqual(showConfig(config, {}).routing, { ...shownUsually, benchmark_results: 0 });
});

test('what is shown can be written in the file, and every number of it reaches routing', async () => {
  const changed = JSON.stringify(shownUsually, (_key, value: unknown) => {
    if (typeof value === 'number') return value < 1 ? value / 2 : value + 1;
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `1${value}` : value;
  });
  const config = await load(`{"routing": ${changed}}`);
  assert.deepEqual(showConfig(config, {}).routing, { ...JSON.parse(changed), benchmark_results: 0 });
});

test('mistakes are told with their path', async () => {
  const cases = [
    [
      'routing: { max_attempt: 3 }',
      /^f:1: routing\.max_attempt: unknown key; .*did you mean "max_attempts"\?$/,
    ],
    ['routing: { max_models: 0 }', /^f:1: routing\.max_models: .*a whole number from 1 to 100; /],
    ['routing: { health: { outage_share: 2 } }', /^f:1: routing\.health\.outage_share: .* from 0 to 1; /],
    ['routing: { sticky_lifetime: 10 }', /^f:1: routing\.sticky_lifetime: .*a duration such as /],
    [
      'routing: { health: { usable_uptime: 0.97 } }',
      /^f:1: routing\.health\.usable_uptime: is above reliable_uptime; allowed: a number from 0 to 0\.95; /,
    ],
    [
      'routing: { health: { rate_limit_wait: 2m } }',
      /^f:1: routing\.health\.rate_limit_wait: is above rate_limit_wait_max; allowed: at most 60s; /,
    ],
  ] as const;
  for (const [text, message] of cases) await assert.rejects(load(text), { message });
});

test('benchmark results are read from a file beside the configuration; what is wrong with it is told by line', async () => {
  const run = { model: 'acme/atlas-4', endpoint: 'north', benchmark: 'science', tasks: 198, score: 0.71 };
  const good = JSON.stringify({ ...run, at: '2026-11-01T00:00:00Z' });
  await writeFile(join(folder, 'scores.jsonl'), `${good}\n\n${good}\n`);
  const text = 'routing: { benchmark_scores: scores.jsonl }';
  const config = await load(text);
  const { endpoint: tag, ...rest } = run;
  const result = { ...rest, tag, at: Date.UTC(2026, 10, 1) };
  assert.deepEqual(config.benchmarkResults, [result, result]);
  await assert.rejects(load('routing: { benchmark_scores: none.jsonl }'), {
    message: /^f:1: routing\.benchmark_scores: the file cannot be read \(ENOENT\); allowed: .*; /,
  });
  const wrong: readonly (readonly [line: string, problem: string])[] = [
    ['[]', 'is no JSON object'],
    ['{', 'is no JSON object'],
    [JSON.stringify({ ...run, at: 'soon' }), 'at is no time'],
    [JSON.stringify({ ...run, colour: 1 }), '"colour" is no member'],
    [JSON.stringify({ ...run, model: 1 }), 'model is no text'],
    [JSON.stringify({ ...run, endpoint: '' }), 'endpoint is no text'],
    [JSON.stringify({ ...run, benchmark: 'gpqa' }), 'benchmark is none of science, tool_use'],
    [JSON.stringify({ ...run, tasks: 1.5 }), 'tasks is no whole number'],
    [JSON.stringify({ ...run, score: 71 }), 'score is no number from 0 to 1'],
  ];
  await writeFile(join(folder, 'scores.jsonl'), wrong.map(([line]) => line).join('\n'));
  await assert.rejects(load(text), (error: Error) => {
    const lines = error.message.split('\n');
    assert.equal(lines.length, wrong.length);
    for (const [index, [, problem]] of wrong.entries()) {
      const told = `f:1: routing.benchmark_scores: line ${index + 1} of the file: ${problem}; allowed: `;
      assert.equal(lines[index]?.slice(0, told.length), told);
    }
    return true;
  });
});
