import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { calledName, textOf } from '../lenient.ts';
import { TextRun } from '../text-run.ts';
import { readCitation } from './read-citation.ts';
import type { BlockPiece, BlockStart, ReasoningPiece, WireCitation } from './wire-events.ts';

interface Thoughts {
  readonly kind: 'thoughts';
  /** Base64. */
  readonly redacted: string[];
  signature: string;
  /** Whether any thoughts were shown. */
  shown: boolean;
}

/** Thoughts, a call or a picture that is still arriving. */
type OpenBlock =
  | Thoughts
  | { readonly kind: 'call' }
  | { readonly kind: 'picture'; readonly bytes: Buffer[] };

/**
 * The blocks of one answer, by number. Only calls and pictures are announced; text and thoughts begin with their
 * first piece. Later pieces for a closed block are ignored.
 */
export class AnswerBlocks {
  readonly #push: (delta: Delta) => void;
  readonly #claude: boolean;
  readonly #open = new Map<number, OpenBlock>();
  readonly #closed = new Set<number>();
  #run: TextRun<WireCitation> | undefined;
  /** Number of the text block that is still arriving. */
  #textBlock: number | undefined;

  constructor(claude: boolean, push: (delta: Delta) => void) {
    this.#claude = claude;
    this.#push = push;
  }

  start(block: number, { toolUse, image }: BlockStart): void {
    if (this.#closed.has(block) || this.#open.has(block)) return;
    if (toolUse) {
      this.#endRun();
      this.#open.set(block, { kind: 'call' });
      const name = calledName(toolUse.name);
      this.#push({ kind: 'call', block, form: 'function', name, callId: textOf(toolUse.toolUseId) });
    } else if (image) this.#picture(block);
  }

  add(block: number, piece: BlockPiece): void {
    if (this.#closed.has(block)) return;
    if (textOf(piece.text) !== undefined) this.#text(block).write(textOf(piece.text));
    if (piece.citation) this.#text(block).cite(piece.citation);
    if (piece.reasoningContent) this.#think(block, piece.reasoningContent);
    if (piece.toolUse) this.#write(block, textOf(piece.toolUse.input));
    const bytes = textOf(piece.image?.source?.bytes);
    if (bytes !== undefined) this.#picture(block).push(Buffer.from(bytes, 'base64'));
  }

  stop(block: number): void {
    if (this.#textBlock === block) {
      this.#run?.stopBlock();
      this.#textBlock = undefined;
    }
    const open = this.#open.get(block);
    this.#open.delete(block);
    this.#closed.add(block);
    if (open !== undefined) this.#finish(block, open);
  }

  /** Closes every block that is still open, because the answer is over. */
  end(): void {
    for (const block of [...this.#open.keys()]) this.stop(block);
    this.#endRun();
  }

  #text(block: number): TextRun<WireCitation> {
    if (this.#textBlock !== block) this.#run?.stopBlock();
    this.#textBlock = block;
    this.#run ??= new TextRun(block, this.#push, readCitation);
    return this.#run;
  }

  #think(block: number, { text, signature, redactedContent }: ReasoningPiece): void {
    const open = this.#thoughts(block);
    if (open === undefined) return;
    const thought = textOf(text);
    if (thought !== undefined) {
      open.shown = true;
      this.#push({ kind: 'thinking', block, text: thought });
    }
    open.signature += signature ?? '';
    if (redactedContent) open.redacted.push(redactedContent);
  }

  #thoughts(block: number): Thoughts | undefined {
    const known = this.#open.get(block);
    if (known !== undefined) return known.kind === 'thoughts' ? known : undefined;
    this.#endRun();
    const open: Thoughts = { kind: 'thoughts', redacted: [], signature: '', shown: false };
    this.#open.set(block, open);
    return open;
  }

  #write(block: number, text: string | undefined): void {
    if (text === undefined) return;
    if (this.#open.get(block)?.kind !== 'call') {
      throw new HeadgateError('provider_failed', 'The provider sent tool arguments without a call.');
    }
    this.#push({ kind: 'arguments', block, text });
  }

  #picture(block: number): Buffer[] {
    const known = this.#open.get(block);
    if (known?.kind === 'picture') return known.bytes;
    const bytes: Buffer[] = [];
    if (known !== undefined) return bytes;
    this.#endRun();
    this.#open.set(block, { kind: 'picture', bytes });
    this.#push({ kind: 'hosted', block, type: 'image_generation_call' });
    this.#push({ kind: 'stage', block, stage: 'generating' });
    return bytes;
  }

  #finish(block: number, open: OpenBlock): void {
    if (open.kind === 'thoughts' && !this.#seal(block, open)) return;
    if (open.kind === 'picture') {
      const result = Buffer.concat(open.bytes).toString('base64');
      this.#push({ kind: 'result', block, fields: { result } });
    }
    this.#push({ kind: 'end', block });
  }

  /**
   * Passes on the signature and redacted data of thoughts. Returns false when there were no thoughts at all.
   */
  #seal(block: number, { signature, redacted, shown }: Thoughts): boolean {
    const encrypted = joinBase64(redacted);
    if (signature === '' && encrypted === undefined) return shown;
    const format = this.#claude ? 'anthropic-claude-v1' : 'unknown';
    this.#push({ kind: 'seal', block, format, encrypted, signature: textOf(signature) });
    return true;
  }

  #endRun(): void {
    this.#run?.end();
    this.#run = undefined;
    this.#textBlock = undefined;
  }
}

/** A single piece stays unchanged, byte for byte. */
function joinBase64(pieces: readonly string[]): string | undefined {
  if (pieces.length <= 1) return pieces[0];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64');
}
