import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type BenchmarkResult, benchmarks } from '../core/benchmark-result.ts';
import { isObject, parseJson } from '../util/json.ts';
import { reasonOf } from './config-error.ts';
import type { Reading } from './reading.ts';

const path = 'routing.benchmark_scores';
const members = ['at', 'benchmark', 'endpoint', 'model', 'score', 'tasks'] as const;
const allowed = `lines such as {"model":"acme/atlas-4","endpoint":"northgpu","benchmark":"science","tasks":198,"score":0.71,"at":"2026-11-01T00:00:00Z"}`;

/** Reads the file of benchmark results, one JSON object a line; what is wrong with it is noted, line by line. */
export async function readBenchmarkScores(
  file: string | undefined,
  reading: Reading,
): Promise<readonly BenchmarkResult[]> {
  if (file === undefined) return [];
  const text = await readText(resolve(reading.directory, file), reading);
  const results: BenchmarkResult[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const result = readLine(line);
    if (typeof result !== 'string') results.push(result);
    else reading.problem(path, { problem: `line ${index + 1} of the file: ${result}`, allowed, remedy });
  }
  return results;
}

const remedy = 'correct or remove the line';

async function readText(name: string, reading: Reading): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    reading.problem(path, {
      problem: `the file cannot be read (${reason})`,
      allowed: 'the name of a readable file of benchmark results',
      remedy: 'correct the name or the permissions',
    });
    return '';
  }
}

/** The result a line holds, or what is wrong with it. */
function readLine(line: string): BenchmarkResult | string {
  const row = parseJson(line);
  if (!isObject(row)) return 'is no JSON object';
  const unknown = Object.keys(row).find((name) => !members.some((member) => member === name));
  if (unknown !== undefined) return `"${unknown.slice(0, 40)}" is no member`;
  const { model, endpoint, benchmark, tasks, score, at } = row;
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (typeof model !== 'string' || model === '') return 'model is no text';
  if (typeof endpoint !== 'string' || endpoint === '') return 'endpoint is no text';
  if (benchmark !== 'science' && benchmark !== 'tool_use') {
    return `benchmark is none of ${Object.keys(benchmarks).join(', ')}`;
  }
  if (typeof tasks !== 'number' || !Number.isInteger(tasks) || tasks < 1) return 'tasks is no whole number';
  if (typeof score !== 'number' || score < 0 || score > 1) return 'score is no number from 0 to 1';
  if (Number.isNaN(time)) return 'at is no time';
  return { model, tag: endpoint, benchmark, tasks, score, at: time };
}
