import type { AnswerPart, AnswerParts, OpenedPart } from '../core/answer-part.ts';
import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { Item, ServiceItem } from '../core/request.ts';
import { type RanCalls, runCalls } from './run-calls.ts';
import type { LoopContext, SuspendedCall } from './server-tool.ts';

/** What came of calls that went on. */
export interface ResumedCalls extends Pick<RanCalls, 'suspended' | 'types'> {
  /** The request with the results of those that are over. */
  readonly request: InferenceRequest;
  /** What could not be shown yet, because no model has answered. */
  readonly unshown: AnswerParts;
}

/**
 * Goes on with calls of earlier requests, before the model is asked (docs/spec/server-tools.md#functions-of-the-client). The
 * answer begins as soon as a model answers one of them. Never fails: what goes wrong is a result.
 */
export async function* resumeCalls(
  suspended: readonly SuspendedCall[],
  request: InferenceRequest,
  { context, atOnce }: { readonly context: LoopContext; readonly atOnce: number },
): AsyncGenerator<AnswerParts, ResumedCalls> {
  const leading = new LeadingTurns(context);
  // Calls of different turns may have one id, so each gets a name of its own.
  const calls = suspended.map(({ call }, at) => ({ ...call, name: String(at) }));
  const find = (name: string) => {
    const found = suspended[Number(name)];
    if (found === undefined) throw new HeadgateError('server');
    return found.rest;
  };
  const served = { model: request.models[0] ?? '' };
  const running = runCalls(calls, { find }, { request, served, context: leading.context, atOnce });
  let unshown: readonly AnswerPart[] = [];
  let isOpened = false;
  for (let next = running.next(); ; ) {
    const step = await (isOpened ? next : Promise.race([leading.opened, next]));
    if ('kind' in step) {
      isOpened = true;
      yield [step, ...unshown];
      unshown = [];
      continue;
    }
    if (step.done === true) {
      const { fields, suspended: waiting, types } = step.value;
      const settled = new Map(suspended.map(({ item }, at) => [item as Item, fields.get(calls[at])]));
      return { suspended: waiting, types, request: settle(request, settled), unshown };
    }
    if (isOpened) yield step.value;
    else unshown = [...unshown, ...step.value];
    next = running.next();
  }
}

/** Turns that are taken before the first one of the request. The first of them has the request's own id. */
class LeadingTurns {
  readonly context: LoopContext;
  /** When the first one is answered. */
  readonly opened: Promise<OpenedPart>;
  #isTaken = false;

  constructor(given: LoopContext) {
    const { promise, resolve } = Promise.withResolvers<OpenedPart>();
    this.opened = promise;
    this.context = {
      ...given,
      innerTurn: (inner) => {
        const isFirst = !this.#isTaken;
        this.#isTaken = true;
        return given.innerTurn({ ...inner, leading: { isFirst, onOpened: resolve } });
      },
    };
  }
}

/** A request in which calls have their results. */
function settle(
  request: InferenceRequest,
  results: ReadonlyMap<Item, ServiceItem['fields'] | undefined>,
): InferenceRequest {
  const items = request.canonical.items.map((item): Item => {
    const fields = results.get(item);
    return item.kind === 'service' && fields !== undefined ? { ...item, fields, rounds: undefined } : item;
  });
  return { ...request, canonical: { ...request.canonical, items } };
}
