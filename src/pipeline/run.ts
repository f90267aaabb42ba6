import type { Answer, AnswerParts } from '../core/answer-part.ts';
import type { HeadgateError } from '../core/errors.ts';
import { type InferenceRequest, wantsChat } from '../core/inference-request.ts';
import { mayNameRouter } from '../core/router-names.ts';
import type { ContentNotes } from '../ports/request-trace.ts';
import type { ServerTool } from '../server-tools/server-tool.ts';
import { RequestRates } from '../settlement/request-rates.ts';
import { ActiveStages } from '../stages/active-stages.ts';
import { mapBatches } from '../util/map-batches.ts';
import { refusedTool } from './disabled-tools.ts';
import { policyOf } from './evaluate-request.ts';
import { RefusedCall } from './refused-call.ts';
import { runSteps } from './run-steps.ts';
import type { InferenceCall, Services } from './services.ts';
import { turn } from './turn.ts';

const noTools: readonly ServerTool[] = [];

/**
 * Answers a request: prepares it, takes one turn or more, and rewrites their parts into the answer. Yields the parts in
 * batches, `ended` last. A request that concerns no stage, no router and no tool of the gateway is one turn, with nothing around it.
 *
 * Fails by throwing RefusedCall as long as nothing was answered; afterwards a failure is part of the answer. Ends without
 * `ended` when the client has gone. Leaving the iteration early cancels and settles what runs; an error thrown into it
 * fails the answer.
 */
export function run(call: InferenceCall, services: Services): Answer {
  const refusal = refusedTool(call);
  if (refusal !== undefined) {
    if (call.depth === undefined) services.events.turnedAway(call, refusal);
    return refuse(refusal);
  }
  const rates = call.depth === undefined ? RequestRates.of(call, services) : undefined;
  const content = call.depth === undefined ? call.trace?.content : undefined;
  const ratedCall = rates === undefined ? call : { ...call, rates };
  const answered = answer(ratedCall, services);
  const noted = content === undefined ? answered : noteContent(answered, content, call, services);
  return rates === undefined ? noted : settleAtEnd(noted, rates);
}

/** Notes what is said, where nothing that concerns the request wants it forgotten. */
function noteContent(source: Answer, content: ContentNotes, call: InferenceCall, services: Services): Answer {
  const { zeroRetention } = policyOf(call.caller, services);
  if (call.request.provider.zdr === true) content.forbid();
  else if (zeroRetention === undefined) content.allow();
  const read = (parts: AnswerParts) => {
    for (const part of parts) {
      if (part.kind !== 'opened' || zeroRetention === undefined) continue;
      const model = services.catalogue().models.get(part.model);
      if (model === undefined || zeroRetention(model)) content.forbid();
      else content.allow();
    }
    content.read(parts);
    return parts;
  };
  return mapBatches(source, read);
}

function answer(call: InferenceCall, services: Services): Answer {
  const active = ActiveStages.of(call.request, services.stages, call.caller);
  // A model that is asked on behalf of a tool is offered only what that lists for it.
  const { request } = call;
  const chat = wantsChat(request) ? request : undefined;
  const isInner = call.depth !== undefined && chat?.canonical.serviceTools === undefined;
  const tools = isInner ? noTools : services.tools;
  const isOneTurn =
    active === undefined && !mayNameRouter(request) && !(chat !== undefined && concernsTools(chat, tools));
  if (isOneTurn) return turn(call, services);
  return runSteps(call, { active, tools, runInner: (inner) => run(inner, services) }, services);
}

/** An answer that is none. */
// biome-ignore lint/correctness/useYield: it fails before it could.
async function* refuse(error: HeadgateError): Answer {
  throw new RefusedCall(error);
}

/** Settles the rates of a request before its last part is read, and on every other way in which it ends. */
async function* settleAtEnd(source: Answer, rates: RequestRates): Answer {
  try {
    return yield* mapBatches(source, async (parts) => {
      if (parts.at(-1)?.kind === 'ended') await rates.settle();
      return parts;
    });
  } finally {
    await rates.settle();
  }
}

function concernsTools(request: InferenceRequest, tools: readonly ServerTool[]): boolean {
  const { serviceTools, tools: listed } = request.canonical;
  if (serviceTools !== undefined) return true;
  const listsHosted = listed.some(({ kind }) => kind === 'hosted');
  for (const tool of tools) {
    if ((listsHosted || tool.comesUnlisted === true) && tool.concerns(request)) return true;
  }
  return false;
}
