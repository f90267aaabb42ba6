import type {
  Answer,
  AnswerBill,
  AnswerPart,
  AnswerParts,
  EndedPart,
  ExecutedPart,
} from '../core/answer-part.ts';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import { createGenerationId } from '../core/ids.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { InnerAnswer, InnerRequest, InnerSource, TakeInnerTurn } from '../core/inner-turn.ts';
import { type CallItem, type CallOutputItem, chatOf, type Item } from '../core/request.ts';
import { serviceFunctionName } from '../core/tool.ts';
import { BlockItems } from '../server-tools/block-items.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { RefusedCall } from './refused-call.ts';
import type { InferenceCall, Services } from './services.ts';

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
    const { traceSpan = parent.traceSpan } = inner;
    const call = { ...parent, ...place, request, receivedAt, signal, traceSpan, depth: depth + 1 };
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
function requestOf({ models, canonical, hear, leading }: InnerRequest, parent: AnyRequest): AnyRequest {
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
    parameters: (chatOf(canonical)?.tools.length ?? 0) > 0 ? ['tools'] : [],
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

/** How many pages an answer names at most. */
const mostSources = 500;

/** Collects the pages that an answer rests on: those it cites, and those its tools searched or fetched. */
export class AnswerSources {
  readonly #titles = new Map<string, string>();

  /** In the order in which they came, each address once. */
  get all(): readonly InnerSource[] {
    return Array.from(this.#titles, ([url, title]) => ({ url, title }));
  }

  /** Takes the next part of the answer. */
  add(part: AnswerPart): void {
    if (part.kind === 'annotation' && part.annotation.type === 'url_citation') this.#note(part.annotation);
    else if (part.kind === 'result') this.#noteAll(part.fields);
    else if (part.kind === 'executed') {
      this.#noteAll(part.fields);
      if (part.type === 'service:web_fetch' && !part.fields.error) this.#note(part.fields);
    }
  }

  #noteAll({ action }: JsonObject): void {
    const { sources } = isObject(action) ? action : {};
    for (const source of Array.isArray(sources) ? sources : []) if (isObject(source)) this.#note(source);
  }

  #note({ url, title }: { readonly url?: unknown; readonly title?: unknown }): void {
    if (typeof url !== 'string' || url === '') return;
    const known = this.#titles.get(url);
    if (known === undefined && this.#titles.size >= mostSources) return;
    this.#titles.set(url, known || (typeof title === 'string' ? title : ''));
  }
}

/** One turn of an answer. */
interface WrittenTurn {
  readonly blocks: BlockItems;
  readonly used: ExecutedPart[];
}

/** Collects an answer as the items with which the same model can go on. */
class WrittenItems {
  readonly #turns: WrittenTurn[] = [];

  /** Takes the next part of the answer. */
  add(part: AnswerPart): void {
    if (part.kind === 'opened') this.#turns.push({ blocks: new BlockItems(), used: [] });
    const turn = this.#turns.at(-1);
    if (turn === undefined) return;
    if (part.kind === 'executed') turn.used.push(part);
    else if ('block' in part) turn.blocks.add(part);
  }

  /** Of each turn what the model wrote, its calls, and the results of tools of the gateway. */
  get all(): readonly Item[] {
    return this.#turns.flatMap(({ blocks, used }) => {
      const written = blocks.all;
      const calls = used.flatMap(callOf);
      const said = written.filter(({ kind }) => kind !== 'call');
      return [...said, ...calls, ...written.filter(({ kind }) => kind === 'call'), ...used.flatMap(resultOf)];
    });
  }
}

function callOf({ type, call }: ExecutedPart): readonly CallItem[] {
  if (call === undefined) return [];
  const name = serviceFunctionName(type);
  return [{ kind: 'call', form: 'function', callId: call.id, name, input: call.input }];
}

function resultOf({ call }: ExecutedPart): readonly CallOutputItem[] {
  if (call === undefined) return [];
  const output = [{ kind: 'text', text: call.output } as const];
  return [{ kind: 'call_output', form: 'function', callId: call.id, output }];
}
