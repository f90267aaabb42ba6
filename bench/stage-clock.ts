import { renameSync, writeFileSync } from 'node:fs';
import { createHistogram, PerformanceObserver, performance, type RecordableHistogram } from 'node:perf_hooks';
import { SettleQueue } from '../src/storage/charges/queue.ts';
import { ThreadClient } from '../src/storage/sqlite/thread-client.ts';
import { HttpStream } from '../src/upstream/wire/http-stream.ts';
import { MicroBatch } from '../src/waiting/micro-batch.ts';

/*
 * Loaded into Headgate before its own code (`node --import`), it measures where the time of requests goes: it wraps the
 * methods in which they wait. Headgate itself has no code for this, so it costs nothing elsewhere. On SIGUSR2 it writes
 * what it measured since the last time to the file STAGE_CLOCK_FILE.
 */

/** One stage since the last report: milliseconds, and how often. */
export interface StageTimes {
  readonly stage: StageName;
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

const stageNames = {
  gathering: 'waits for requests and answers that come at the same time',
  provider: 'provider, from the request to its first byte',
  settling: 'charge, from the end of the answer until it is durable',
  commit: 'one commit, which all charges that wait share',
  collection: 'one garbage collection',
} as const;
/** A place where requests wait. */
export type StageName = keyof typeof stageNames;
/** What each stage is, in words. */
export const stages: Readonly<Record<StageName, string>> = stageNames;

const file = process.env.STAGE_CLOCK_FILE;
if (file !== undefined) measure(file);

function measure(to: string): void {
  const names = Object.keys(stageNames) as StageName[];
  const histograms = new Map(names.map((name) => [name, createHistogram()]));
  const record = (stage: StageName, began: number) => note(histograms.get(stage), performance.now() - began);
  wrapWaits(record);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) note(histograms.get('collection'), entry.duration);
  }).observe({ entryTypes: ['gc'] });
  process.on('SIGUSR2', () => {
    const times = names.map((stage): StageTimes => summary(stage, histograms.get(stage)));
    for (const histogram of histograms.values()) histogram.reset();
    writeFileSync(`${to}.part`, JSON.stringify(times));
    renameSync(`${to}.part`, to);
  });
}

function wrapWaits(record: (stage: StageName, began: number) => void): void {
  const { add } = MicroBatch.prototype;
  MicroBatch.prototype.add = function (begin) {
    const began = performance.now();
    add.call(this, () => {
      record('gathering', began);
      begin();
    });
  };
  const settle = SettleQueue.prototype.add;
  SettleQueue.prototype.add = async function (charge) {
    const began = performance.now();
    await settle.call(this, charge);
    record('settling', began);
  };
  const { send } = ThreadClient.prototype;
  ThreadClient.prototype.send = async function (request) {
    const began = performance.now();
    const answer = await send.call(this, request);
    if (request.kind === 'append' || request.kind === 'settle') record('commit', began);
    return answer;
  };
  const sentAt = new WeakMap<HttpStream, number>();
  const { onRequestStart, onResponseData } = HttpStream.prototype;
  HttpStream.prototype.onRequestStart = function (controller) {
    sentAt.set(this, performance.now());
    onRequestStart.call(this, controller);
  };
  HttpStream.prototype.onResponseData = function (controller, chunk) {
    const began = sentAt.get(this);
    if (began !== undefined) record('provider', began);
    sentAt.delete(this);
    onResponseData.call(this, controller, chunk);
  };
}

/** Histograms hold whole numbers: microseconds. */
function note(histogram: RecordableHistogram | undefined, milliseconds: number): void {
  histogram?.record(Math.max(1, Math.round(milliseconds * 1000)));
}

function summary(stage: StageName, histogram: RecordableHistogram | undefined): StageTimes {
  const at = (share: number) => (histogram?.percentile(share) ?? 0) / 1000;
  return { stage, count: histogram?.count ?? 0, p50: at(50), p90: at(90), p99: at(99) };
}
