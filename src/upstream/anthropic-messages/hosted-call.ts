import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages';
import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Lenient } from '../lenient.ts';
import { type BlockPiece, type ContentBlock, InputText, type Push } from './content-block.ts';
import { type HostedReading, readingOf } from './hosted-reading.ts';

/** The start of a hosted call. */
export type HostedCallStart = Lenient<Wire.ServerToolUseBlock> | Lenient<Beta.BetaMCPToolUseBlock>;

/**
 * A hosted call and its result, which is a later block of the answer. The item keeps both blocks unchanged as JSON
 * text in `signature`, so that the same provider gets them back (`encode-hosted-item.ts` reads them).
 */
export class HostedCall implements ContentBlock {
  readonly #block: number;
  readonly #push: Push;
  readonly #start: HostedCallStart;
  readonly #reading: HostedReading;
  readonly #input: InputText;
  #result: JsonObject | undefined;
  #stopped = false;
  #settled = false;

  constructor(block: number, start: HostedCallStart, reading: HostedReading, push: Push) {
    this.#block = block;
    this.#push = push;
    this.#start = start;
    this.#reading = reading;
    this.#input = new InputText(start.input);
    push({ kind: 'hosted', block, type: reading.type, fields: reading.begin?.(start) });
    if (reading.stage === 'searching') push({ kind: 'stage', block, stage: reading.stage });
  }

  add(piece: BlockPiece): void {
    const text = this.#input.add(piece);
    if (text !== '' && this.#reading.streamsInput) this.#push({ kind: 'fragment', block: this.#block, text });
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    const late = this.#input.stop();
    const text = this.#reading.streamsInput ? late : this.#reading.code?.(this.#parsedInput());
    if (text) this.#push({ kind: 'fragment', block: this.#block, text });
    // Code runs once it is complete.
    if (this.#reading.stage === 'interpreting') {
      this.#push({ kind: 'stage', block: this.#block, stage: 'interpreting' });
    }
  }

  /** Takes the block with the call's result. */
  take(result: JsonObject): void {
    this.#result ??= result;
  }

  /**
   * Whether the result needs the container in which the code ran, which some streams report only at their end.
   */
  get needsContainer(): boolean {
    return this.#reading.type === 'code_interpreter_call';
  }

  /** Reports the outcome of the call, once; a call without a result continues in the next turn. */
  settle(container: string | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    this.stop();
    const input = this.#parsedInput();
    const { fields, failed } = this.#reading.finish(input, this.#result ?? {}, this.#input.text);
    const own = { ...this.#start, input };
    const blocks = this.#result === undefined ? [own] : [own, this.#result];
    this.#push({
      kind: 'result',
      block: this.#block,
      fields: {
        ...this.#reading.begin?.(this.#start),
        ...fields,
        ...(this.needsContainer ? { container_id: container ?? '' } : {}),
        format: 'anthropic-claude-v1',
        signature: JSON.stringify(blocks),
      },
      failed: failed ? true : undefined,
    });
    this.#push({ kind: 'end', block: this.#block });
  }

  #parsedInput(): JsonObject {
    const value = parseJson(this.#input.text);
    return isObject(value) ? value : {};
  }
}

/** Begins a call; returns undefined for a tool without a public item. */
export function beginHostedCall(block: number, start: HostedCallStart, push: Push): HostedCall | undefined {
  const reading = readingOf(start.type === 'mcp_tool_use' ? 'mcp' : start.name);
  return reading && new HostedCall(block, start, reading, push);
}
