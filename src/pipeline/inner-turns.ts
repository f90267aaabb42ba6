import type { Answer, AnswerBill, AnswerPart, AnswerParts, EndedPart } from '../core/answer-part.ts';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import { createGenerationId } from '../core/ids.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { InnerAnswer, InnerRequest, TakeInnerTurn } from '../core/inner-turn.ts';
import { AnswerSources } from './answer-sources.ts';
import { RefusedCall } from './refused-call.ts';
import type { InferenceCall, Services } from './services.ts';
import { WrittenItems } from './written-items.ts';

/** How many turns a turn may be inside of: an inner turn may take turns of its own, and those may not. */
const deepest = 2;

/**
 * Makes what takes inner turns for a request.
 * @param answer Answers a call of its own.
 * @param onBill Gets what each inner turn used and cost, as soon as it is charged.
 */
export function createInnerTurns(
  parent: InferenceCall,
  services: Services,
  answer: (call: InferenceCall) => Answer,
  onBill: (bill: AnswerBill) => void,
): TakeInnerTurn {
  const { depth = 0, requestId = parent.generationId } = parent;
  return async (inner) => {
    if (depth >= deepest) {
      throw new HeadgateError('invalid_request', 'Inner requests cannot be nested that deep.');
    }
    const receivedAt = services.clock.now();
    const place =
      inner.leading?.isFirst === true
        ? { generationId: parent.generationId, requestId: parent.requestId }
        : { generationId: createGenerationId(receivedAt), requestId };
    const request = requestOf(inner, parent.request);
    const { signal, clear } = limitTime(parent.signal, inner.within);
    const call = { ...parent, ...place, request, receivedAt, signal, depth: depth + 1 };
    try {
      return await collect(answer(call), place.generationId, inner, onBill);
    } catch (thrown) {
      throw thrown instanceof RefusedCall ? thrown.error : toHeadgateError(thrown);
    } finally {
      clear();
    }
  };
}

/** A signal that is aborted with another one, or when its time is up unless that is cleared. */
function limitTime(
  signal: AbortSignal,
  within: number | undefined,
): { readonly signal: AbortSignal; readonly clear: () => void } {
  if (within === undefined) return { signal, clear: () => {} };
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new HeadgateError('deadline_exceeded')), within);
  return { signal: AbortSignal.any([signal, over.signal]), clear: () => clearTimeout(timer) };
}

/** An inner request under the privacy, the price limits and the strictness of the request it works for. */
function requestOf(
  { models, canonical, hear, leading }: InnerRequest,
  parent: InferenceRequest,
): InferenceRequest {
  const { only, ignore, dataCollection, zdr, enforceDistillableText, maxPrice } = parent.provider;
  return {
    canonical,
    models,
    provider: { only, ignore, dataCollection, zdr, enforceDistillableText, maxPrice },
    stream: hear !== undefined || (leading !== undefined && parent.stream),
    sessionId: parent.sessionId,
    user: parent.user,
    safetyIdentifier: parent.safetyIdentifier,
    wantsMetadata: false,
    strict: parent.strict,
    echoUpstreamBody: false,
    parameters: canonical.tools.length > 0 ? ['tools'] : [],
  };
}

/** Reads an answer to its end. @throws HeadgateError when it failed. */
async function collect(
  answer: Answer,
  generationId: string,
  { hear, keepsItems, leading, checkImages }: InnerRequest,
  onBill: (bill: AnswerBill) => void,
): Promise<InnerAnswer> {
  const read = new ReadAnswer(checkImages);
  const items = keepsItems === true ? new WrittenItems() : undefined;
  for await (const parts of failing(answer, () => read.takeFault())) {
    for (const part of parts) {
      read.add(part);
      items?.add(part);
      if (part.kind === 'opened') leading?.onOpened(part);
      await heard(part, hear);
    }
  }
  const { ended } = read;
  if (ended?.bill !== undefined) onBill(ended.bill);
  if (ended?.finish === undefined || ended.bill === undefined) {
    throw ended?.error ?? new HeadgateError('service_unavailable', 'The client has gone.');
  }
  const { model, text, vectors, images, sources } = read;
  return {
    generationId,
    model,
    text,
    vectors,
    images,
    sources: sources.all,
    items: items?.all ?? [],
    finish: ended.finish,
    bill: ended.bill,
  };
}

/** Reads an answer, and fails it with what its reader has found wrong with the batch before. */
async function* failing(answer: Answer, fault: () => unknown): AsyncGenerator<AnswerParts> {
  try {
    let step = await answer.next();
    while (step.done !== true) {
      yield step.value;
      const found = fault();
      step = found === undefined ? await answer.next() : await answer.throw(found);
    }
  } finally {
    await answer.return(undefined);
  }
}

/** What was read of an answer so far. */
class ReadAnswer {
  readonly sources = new AnswerSources();
  readonly vectors: Float32Array[] = [];
  readonly images: string[] = [];
  /** The blocks in which pictures stand. */
  readonly #pictures = new Set<number>();
  readonly #checkImages: InnerRequest['checkImages'];
  model = '';
  text = '';
  ended: EndedPart | undefined;
  #fault: unknown;

  constructor(checkImages: InnerRequest['checkImages']) {
    this.#checkImages = checkImages;
  }

  /** What is wrong with what was read since this was called last; undefined for nothing. */
  takeFault(): unknown {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }

  add(part: AnswerPart): void {
    if (part.kind === 'opened') this.model = part.model;
    else if (part.kind === 'finish') this.#check();
    else if (part.kind === 'text') this.text += part.text;
    else if (part.kind === 'embedding') this.vectors[part.index] = part.vector;
    else if (part.kind === 'ended') this.ended = part;
    else {
      if (part.kind === 'hosted' || part.kind === 'result') this.#notePicture(part);
      this.sources.add(part);
    }
  }

  #check(): void {
    if (this.images.length === 0) return;
    try {
      this.#checkImages?.(this.images);
    } catch (thrown) {
      this.#fault = thrown;
    }
  }

  #notePicture(part: Extract<AnswerPart, { kind: 'hosted' | 'result' }>): void {
    if (part.kind === 'hosted' && part.type === 'image_generation_call') this.#pictures.add(part.block);
    const { result } = part.fields ?? {};
    if (this.#pictures.has(part.block) && typeof result === 'string' && result !== '')
      this.images.push(result);
  }
}

function heard(part: AnswerPart, hear: InnerRequest['hear']): Promise<void> | undefined {
  if (hear === undefined) return undefined;
  if (part.kind === 'text') return hear({ kind: 'text', text: part.text });
  if (part.kind === 'partial_image') return hear(part);
  if (part.kind !== 'thinking' && part.kind !== 'summary') return undefined;
  return hear({ kind: 'thinking', text: part.text });
}
