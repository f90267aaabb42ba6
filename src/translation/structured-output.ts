import type { Delta } from '../core/delta.ts';
import type { FunctionTool, TextFormat } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';
import type { Restorer } from './translation.ts';

type SchemaFormat = Extract<TextFormat, { kind: 'json_schema' }>;

/** Makes the answer JSON where the endpoint cannot enforce it (docs/spec/requests.md#text-format). */
export function shapeText(rewriter: RequestRewriter): void {
  const { format } = rewriter.request;
  if (format.kind === 'text') return;
  const feature = `text.${format.kind}` as const;
  const isOutOfReach = !enforces(rewriter);
  const emulation = isOutOfReach ? 'instructed' : rewriter.emulationOf(feature);
  if (emulation === undefined) return;
  if (emulation === 'forced-tool' && format.kind === 'json_schema' && canForce(rewriter, format)) {
    forceTool(rewriter, format);
    rewriter.note(feature, 'emulated', 'asked for as the arguments of a function the model must call');
    return;
  }
  const plain = format.kind === 'json_schema' && !isOutOfReach && rewriter.reaches('text.json_object');
  rewriter.change({
    format: plain ? { kind: 'json_object' } : { kind: 'text' },
    instructions: [rewriter.request.instructions, instructionFor(format)].filter(Boolean).join('\n\n'),
  });
  rewriter.restorers.push(createFenceRestorer());
  const how = plain ? 'asked for in the instructions, with JSON mode' : 'asked for in the instructions';
  const why = isOutOfReach ? ', because the provider enforces neither free members nor recursion' : '';
  rewriter.note(feature, 'emulated', how + why);
}

/** Whether the endpoint can enforce the schema of a request that has one, where it enforces schemas at all. */
export function enforces(rewriter: RequestRewriter): boolean {
  const { format } = rewriter.request;
  if (format.kind !== 'json_schema' || rewriter.supportOf('text.json_schema') !== 'native') return true;
  return rewriter.destination.support.enforces?.(format.schema) !== false;
}

/**
 * Beside other tools, a forced one would keep the model from calling them; and a thinking model cannot be forced.
 */
function canForce(rewriter: RequestRewriter, { schema }: SchemaFormat): boolean {
  const { tools, reasoning } = rewriter.request;
  const mandatory = rewriter.destination.model.reasoning?.mandatory === true;
  const thinks = mandatory || (reasoning !== undefined && reasoning.effort !== 'none');
  const offers =
    tools.length === 0 && rewriter.reaches('tool.function') && rewriter.reaches('tool_choice.named');
  return offers && !thinks && schema.type === 'object';
}

function forceTool(rewriter: RequestRewriter, { name, schema, description, strict }: SchemaFormat): void {
  const tool: FunctionTool = {
    kind: 'function',
    name: name.replace(/[^\w-]/g, '_').slice(0, 64),
    description: description ?? 'Gives the answer to the user.',
    parameters: schema,
    strict: strict === true && rewriter.reaches('tool.function.strict') ? true : undefined,
  };
  rewriter.change({
    format: { kind: 'text' },
    tools: [tool],
    toolChoice: { kind: 'tool', form: 'function', name: tool.name },
    parallelToolCalls: undefined,
  });
  rewriter.restorers.push(createForcedRestorer(tool.name));
}

function instructionFor(format: Exclude<TextFormat, { kind: 'text' }>): string {
  const json = (what: string) =>
    `Answer with one JSON ${what} and nothing else: no other text, no code fence.`;
  if (format.kind === 'json_object') return json('object');
  const about = format.description === undefined ? '' : ` It is: ${format.description}`;
  return `${json('value')}${about} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`;
}

type Emit = (delta: Delta) => void;

/** Removes the code fence that some models put around JSON in spite of their instructions. */
function createFenceRestorer(): Restorer {
  const strippers = new Map<number, FenceStripper>();
  const flush = (block: number, emit: Emit) => {
    const text = strippers.get(block)?.end() ?? '';
    strippers.delete(block);
    if (text !== '') emit({ kind: 'text', block, text });
  };
  const strip = (delta: Extract<Delta, { kind: 'text' }>, emit: Emit) => {
    const stripper = strippers.get(delta.block) ?? new FenceStripper();
    strippers.set(delta.block, stripper);
    const text = stripper.push(delta.text);
    if (text === delta.text) emit(delta);
    else if (text !== '') emit({ ...delta, text, logprobs: undefined });
  };
  return (delta, emit) => {
    if (delta.kind === 'text' && (delta.part ?? 0) === 0) {
      strip(delta, emit);
      return;
    }
    if (delta.kind === 'end') flush(delta.block, emit);
    // Text before a call is emitted before it, even where the dialect does not report the end of a text.
    if (delta.kind === 'call' || delta.kind === 'finish')
      for (const block of [...strippers.keys()]) flush(block, emit);
    emit(delta);
  };
}

/**
 * Turns the arguments of the forced call into text. Text beside the call is not the answer, unless there is no call.
 * @param name The function's name.
 */
function createForcedRestorer(name: string): Restorer {
  let answer: number | undefined;
  let written = false;
  let beside: Delta[] = [];
  const finish = (delta: Extract<Delta, { kind: 'finish' }>, emit: Emit) => {
    for (const held of beside) emit(held);
    const called = delta.reason === 'tool_calls';
    if (called && answer !== undefined && !written) emit({ kind: 'text', block: answer, text: '{}' });
    emit(called ? { ...delta, reason: 'stop' } : delta);
  };
  const write = (delta: Extract<Delta, { kind: 'arguments' }>, emit: Emit) => {
    if (delta.block !== answer || delta.text === '') return;
    written = true;
    emit({ ...delta, kind: 'text' });
  };
  return (delta, emit) => {
    switch (delta.kind) {
      case 'call':
        if (delta.name === name) answer ??= delta.block;
        if (answer !== undefined) beside = [];
        return;
      case 'arguments':
        return write(delta, emit);
      case 'text':
      case 'annotation':
        if (answer === undefined) beside.push(delta);
        return;
      case 'finish':
        return finish(delta, emit);
      default:
        emit(delta);
    }
  };
}

const opening = /^\s*```[^\n`]*\n/;
const beginning = /^\s*(`{0,2}|```[^\n`]*)$/;

/** Limit of the buffer: longer runs are not fences. */
const bufferLimit = 256;

/**
 * Removes a Markdown code fence around JSON text while it arrives, and everything after the closing fence. Fragments
 * may be split anywhere; text that does not begin with a fence passes unchanged.
 */
class FenceStripper {
  #stage: 'beginning' | 'inside' | 'closed' | 'plain' = 'beginning';
  #buffered = '';

  /** Returns the text that this fragment completes; may be empty. */
  push(fragment: string): string {
    if (this.#stage === 'plain') return fragment;
    if (this.#stage === 'closed') return '';
    const text = this.#buffered + fragment;
    this.#buffered = '';
    return this.#stage === 'beginning' ? this.#begin(text) : this.#readInside(text);
  }

  /** Returns the buffered text, which is not a fence. */
  end(): string {
    const buffered = this.#buffered;
    this.#buffered = '';
    return this.#stage === 'inside' && buffered.includes('```') ? '' : buffered;
  }

  #begin(text: string): string {
    const match = opening.exec(text);
    if (match !== null) {
      this.#stage = 'inside';
      return this.#readInside(text.slice(match[0].length));
    }
    if (text.length <= bufferLimit && beginning.test(text)) {
      this.#buffered = text;
      return '';
    }
    this.#stage = 'plain';
    return text;
  }

  /** No line of JSON begins with backticks; text that may become the closing fence is buffered. */
  #readInside(text: string): string {
    const fence = text.indexOf('\n```');
    if (fence !== -1) {
      this.#stage = 'closed';
      return text.slice(0, fence).trimEnd();
    }
    const place = Math.max(placeOfEnding(text), text.length - bufferLimit);
    this.#buffered = text.slice(place);
    return text.slice(0, place);
  }
}

/** The index where trailing white space begins, with up to three backticks in it. */
function placeOfEnding(text: string): number {
  const inner = text.trimEnd();
  const ticks = /`{1,3}$/.exec(inner)?.[0].length ?? 0;
  return inner.slice(0, inner.length - ticks).trimEnd().length;
}
