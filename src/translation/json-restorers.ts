import type { Delta } from '../core/delta.ts';
import { FenceStripper } from './fence-stripper.ts';
import type { Restorer } from './translation.ts';

type Emit = (delta: Delta) => void;

/** Removes the code fence that some models put around JSON in spite of their instructions. */
export function createFenceRestorer(): Restorer {
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
export function createForcedRestorer(name: string): Restorer {
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
