import type { AnswerPart, ExecutedPart } from '../core/answer-part.ts';
import type { CallItem, CallOutputItem, Item } from '../core/request.ts';
import { serviceFunctionName } from '../core/tool.ts';
import { BlockItems } from '../server-tools/block-items.ts';

/** One turn of an answer. */
interface WrittenTurn {
  readonly blocks: BlockItems;
  readonly used: ExecutedPart[];
}

/** Collects an answer as the items with which the same model can go on. */
export class WrittenItems {
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
