import type { AnswerPart, AnswerParts } from '../core/answer-part.ts';
import { qualifiedName } from '../core/client-tools.ts';
import type { Delta } from '../core/delta.ts';
import { createId } from '../core/ids.ts';
import type { CallItem, Item } from '../core/request.ts';
import { BlockItems } from './block-items.ts';

/**
 * Reads one turn of the tool loop: shows the client what it shall see, and keeps what the next turn must hold. Calls of the
 * gateway's tools are withheld. Client calls that come after one wait for `takeWaiting`, because they follow its result.
 */
export class TurnReader {
  readonly #isServerTool: (name: string) => boolean;
  readonly #withheld = new Set<number>();
  readonly #waitingBlocks = new Set<number>();
  readonly #waiting: Delta[] = [];
  readonly #items = new BlockItems();
  /** Blocks of earlier turns have lower numbers. */
  readonly #firstBlock: number;
  #lastBlock: number;
  /** In the last turn nothing may be called, so calls of any kind are left out. */
  readonly #isFinal: boolean;
  #native: string | undefined;
  #hasText = false;

  constructor(isServerTool: (name: string) => boolean, firstBlock: number, isFinal = false) {
    this.#isServerTool = isServerTool;
    this.#isFinal = isFinal;
    this.#firstBlock = firstBlock;
    this.#lastBlock = firstBlock - 1;
  }

  /** Where the blocks of the next turn begin. */
  get nextBlock(): number {
    return this.#lastBlock + 1;
  }

  /** The provider's own reason for the turn's end. */
  get native(): string | undefined {
    return this.#native;
  }

  /** Whether the model said nothing to the client. */
  get isSilent(): boolean {
    return !this.#hasText;
  }

  /** What the model wrote, for the next turn. */
  get items(): readonly Item[] {
    return this.#items.all;
  }

  /** The calls of tools, in order; those of the gateway's tools alone, or all. */
  calls(whose: 'server' | 'all'): readonly CallItem[] {
    const calls = this.items.filter((item) => item.kind === 'call');
    return whose === 'all' ? calls : calls.filter((call) => this.#isServer(call));
  }

  /** Reads a batch and returns what of it the client sees now; undefined for nothing. */
  read(parts: AnswerParts): AnswerParts | undefined {
    const shown = parts.flatMap((part) => this.#show(part) ?? []);
    return shown.length === 0 ? undefined : shown;
  }

  /** The deltas that waited. */
  takeWaiting(): readonly Delta[] {
    return this.#waiting.splice(0);
  }

  #isServer({ name, namespace, form }: Pick<CallItem, 'name' | 'namespace' | 'form'>): boolean {
    return form === 'function' && this.#isServerTool(qualifiedName(name, namespace));
  }

  #show(part: AnswerPart): AnswerPart | undefined {
    switch (part.kind) {
      case 'sent':
      case 'opened':
      case 'settled':
        return part;
      case 'reported':
      case 'left_out':
      case 'files':
      case 'executing':
      case 'progress':
      case 'executed':
      case 'suspended':
      case 'ended':
      case 'start':
      case 'usage':
      case 'embedding':
      case 'tier':
        return undefined;
      case 'audio':
        return part;
      case 'finish':
        // The loop itself reports how the answer ends.
        this.#native = part.native;
        return undefined;
      default:
        return this.#showBlock(part);
    }
  }

  #showBlock(given: Extract<Delta, { block: number }>): Delta | undefined {
    const first = this.#firstBlock;
    const delta = this.#identify(first === 0 ? given : { ...given, block: given.block + first });
    const { block } = delta;
    this.#lastBlock = Math.max(this.#lastBlock, block);
    this.#items.add(delta);
    if ((delta.kind === 'text' || delta.kind === 'refusal') && delta.text !== '') this.#hasText = true;
    if (delta.kind === 'call') {
      if (this.#isFinal || this.#isServer(delta)) this.#withheld.add(block);
      else if (this.#withheld.size > 0) this.#waitingBlocks.add(block);
    }
    if (this.#withheld.has(block)) return undefined;
    if (!this.#waitingBlocks.has(block)) return delta;
    this.#waiting.push(delta);
    return undefined;
  }

  /** A call with an id, which its result must name. */
  #identify<Some extends Delta>(delta: Some): Some {
    if (delta.kind !== 'call' || delta.callId !== undefined) return delta;
    return { ...delta, callId: createId('call_') };
  }
}
