import assert from 'node:assert/strict';
import type { Model } from '../../src/core/catalogue.ts';
import type { Delta } from '../../src/core/delta.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { zeroUsd } from '../../src/core/money.ts';
import type { ResponseObject } from '../../src/dialects/gateway/assembly/response.ts';
import { wholeText } from '../../src/dialects/public-dialect.ts';
import { ResponsesWriter } from '../../src/dialects/responses/answer/responses-writer.ts';
import {
  type ParsedRequest,
  parseInferenceRequest,
} from '../../src/dialects/responses/request/parse-inference-request.ts';
import { pumpAnswer } from '../../src/edge/pump-answer.ts';
import { RefusedCall } from '../../src/pipeline/refused-call.ts';
import { RequestEvents } from '../../src/pipeline/request-events.ts';
import { run } from '../../src/pipeline/run.ts';
import { roomOf } from '../../src/ports/answer-room.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { Caller } from '../../src/settlement/caller.ts';
import type { WireEvent } from '../stream-checker.ts';
import { testCaller } from './caller.ts';
import { modelOf, providerOf } from './catalogue.ts';
import { plainByokTerms } from './credentials.ts';
import { routingServices } from './routing-services.ts';
import { type Script, ScriptedUpstream } from './scripted-upstream.ts';
import { spendingServices } from './spending-services.ts';

/** A piece of the one message of an answer. */
export const text = (value: string): Delta => ({ kind: 'text', block: 0, text: value });
/** What a provider says it took. */
export const usage: Delta = { kind: 'usage', usage: { uncachedInput: 1000, output: 60 } };
const stop: Delta = { kind: 'finish', reason: 'stop' };
/** An endpoint that answers "Good day." */
export const good: Script = [
  [{ kind: 'start', upstreamId: 'up-1' }],
  [text('Good '), text('day.')],
  [usage, stop],
];

/** A caller whose account pays later: no balance stands in its way. */
export const invoiced: Caller = testCaller(zeroUsd, { account: { billingMode: 'invoice' } });

/** What came of a call. */
export interface Outcome {
  readonly events: WireEvent[];
  readonly response: ResponseObject | undefined;
  readonly refused: RefusedCall | undefined;
  readonly booked: Generation[];
  readonly upstream: ScriptedUpstream;
}

/** What a call meets. */
export interface Situation {
  readonly scripts: Readonly<Record<string, Script>>;
  readonly body?: Record<string, unknown>;
  readonly models?: readonly Model[];
  readonly caller?: Caller;
  readonly abortAfterBatches?: { readonly count: number; readonly reason: unknown };
  readonly bookingFails?: boolean;
}

/** Runs one call against scripted endpoints north and south of the model acme/atlas-4, and globex/ibis at south only. */
export async function play(situation: Situation): Promise<Outcome> {
  const [north, south] = ['north', 'south'].map((slug) => providerOf({ slug, adapter: 'scripted' }));
  assert.ok(north && south);
  const models = situation.models ?? [
    modelOf('acme/atlas-4', [north, south]),
    modelOf('globex/ibis', [south]),
  ];
  const upstream = new ScriptedUpstream(situation.scripts);
  const booked: Generation[] = [];
  const ledger = {
    settle: async (generation: Generation) => {
      if (situation.bookingFails) throw new HeadgateError('service_unavailable');
      booked.push(generation);
      return generation.cost;
    },
  } as Partial<Ledger> as Ledger;
  const abort = new AbortController();
  const { request, echo } = parse({
    model: 'acme/atlas-4',
    input: 'Hello',
    stream: true,
    ...situation.body,
  });
  const call = {
    request,
    caller: situation.caller ?? invoiced,
    generationId: 'gen-1',
    attribution: {},
    receivedAt: Date.now(),
    signal: abort.signal,
    room: roomOf(32 * 1024 * 1024),
  };
  const services = {
    ...routingServices(),
    ...spendingServices(),
    ledger,
    byokTerms: () => plainByokTerms,
    charges: { begin: () => () => {} },
    events: new RequestEvents([]),
    catalogue: () => ({ models: new Map(models.map((model) => [model.id, model])), providers: new Map() }),
    upstreams: new Map([['scripted', upstream]]),
  };
  const events: WireEvent[] = [];
  let refused: RefusedCall | undefined;
  let response: ResponseObject | undefined;
  const writer = new ResponsesWriter(request, echo);
  const { abortAfterBatches } = situation;
  let batches = 0;
  const abortInTime = () => {
    if (abortAfterBatches?.count === batches) setImmediate(() => abort.abort(abortAfterBatches.reason));
    batches += 1;
  };
  try {
    abortInTime();
    const ended = await pumpAnswer(run(call, services), writer, (text) => {
      events.push(...eventsIn(text));
      abortInTime();
      return undefined;
    });
    const terminal =
      events.at(-1)?.response ?? JSON.parse(request.stream ? 'null' : wholeText(writer.body()));
    if (ended !== undefined) response = terminal as ResponseObject;
  } catch (thrown) {
    assert.ok(thrown instanceof RefusedCall, String(thrown));
    refused = thrown;
  }
  return { events, response, refused, booked, upstream };
}

function eventsIn(text: string): WireEvent[] {
  const blocks = text.split('\n\n').filter((block) => block.startsWith('event: '));
  return blocks.map((block) => JSON.parse(block.slice(block.indexOf('\ndata: ') + 7)) as WireEvent);
}

/** A body as a request that wants metadata. */
export function parse(body: Record<string, unknown>): ParsedRequest {
  const headers = { metadata: 'enabled' };
  return parseInferenceRequest(body, {
    headers,
    aliases: [],
    echoDefaults: false,
    hashEndUser: (raw) => raw,
  });
}
