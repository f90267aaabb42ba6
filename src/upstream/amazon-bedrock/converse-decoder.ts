import type { Annotation, Delta, FinishReason, ServedTier } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Usage } from '../../core/usage.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { calledName, countOf, listOf, parseEvent, textOf, usedCount } from '../lenient.ts';
import { TextRun } from '../text-run.ts';
import { isFailure, streamFailure } from './read-failure.ts';

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
class AnswerBlocks {
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

/**
 * Reads a citation of a web page, or of a document of the conversation, which is identified by its position.
 */
function readCitation(citation: WireCitation, start_index: number, end_index: number): Annotation {
  const source = textOf(citation.source);
  const url = textOf(citation.location?.web?.url) ?? (source && URL.canParse(source) ? source : undefined);
  const title = citation.title ?? '';
  const cited = (citation.sourceContent ?? []).map(({ text }) => text ?? '').join('');
  if (url === undefined) return { type: 'file_citation', file_id: '', filename: title, index: end_index };
  return { type: 'url_citation', url, title, start_index, end_index, content: textOf(cited) };
}

const finishReasons = wordTable<FinishReason>({
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
});

/** Finish reasons of output that could not be parsed. */
const malformed: ReadonlySet<string | undefined> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** Reads one answer in the Converse dialect. */
export class ConverseDecoder implements Decoder {
  readonly #blocks: AnswerBlocks;
  #pending: Delta[] = [];
  #started = false;
  #stopReason: string | undefined;
  #finished = false;

  /** @param claude Whether the model is Claude, whose sealed thoughts other hosts can read too. */
  constructor(claude: boolean) {
    this.#blocks = new AnswerBlocks(claude, (delta) => this.#pending.push(delta));
  }

  get finished(): boolean {
    return this.#finished;
  }

  get resting(): boolean {
    return this.#stopReason !== undefined;
  }

  decode({ event, data }: ServerSentEvent, into: Delta[]): void {
    if (this.#finished) return;
    if (isFailure(event)) throw streamFailure(event, data);
    const value = parseEvent<JsonObject>(data) as ConverseEvent;
    this.#pending = into;
    this.#read(event, value);
  }

  close(into: Delta[]): void {
    if (this.#finished) return;
    this.#pending = into;
    if (this.#stopReason === undefined) {
      const text = 'The provider closed the stream before the answer was whole.';
      throw new HeadgateError('provider_failed', text);
    }
    this.#finish({});
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const message = isObject(answer.output) ? answer.output.message : undefined;
    if (!isObject(message) || !Array.isArray(message.content)) {
      throw new HeadgateError('provider_failed', 'The provider sent an answer without content.');
    }
    this.#pending = into;
    this.#start();
    for (const [index, block] of message.content.entries()) this.#readBlock(index, block);
    this.#stop(textOf(answer.stopReason));
    this.#finish(answer);
  }

  #read(type: string | undefined, event: ConverseEvent): void {
    const block = countOf(event.contentBlockIndex) ?? 0;
    switch (type) {
      case 'messageStart':
        this.#start();
        break;
      case 'contentBlockStart':
        if (event.start) this.#blocks.start(block, event.start);
        break;
      case 'contentBlockDelta':
        if (event.delta) this.#blocks.add(block, event.delta);
        break;
      case 'contentBlockStop':
        this.#blocks.stop(block);
        break;
      case 'messageStop':
        this.#stop(textOf(event.stopReason));
        break;
      case 'metadata':
        if (this.#stopReason !== undefined) this.#finish(event);
        break;
    }
  }

  #start(): void {
    if (!this.#started) this.#pending.push({ kind: 'start' });
    this.#started = true;
  }

  #stop(reason: string | undefined): void {
    if (malformed.has(reason)) {
      throw new HeadgateError('provider_failed', 'The model wrote an answer that cannot be read.', {
        metadata: { provider_code: reason },
      });
    }
    this.#stopReason = reason ?? 'end_turn';
  }

  #readBlock(index: number, block: WholeBlock): void {
    const { text, toolUse, reasoningContent, citationsContent, image } = block;
    if (toolUse) {
      this.#blocks.start(index, { toolUse });
      const isComplete = isObject(toolUse.input) && Object.keys(toolUse.input).length > 0;
      if (isComplete) this.#blocks.add(index, { toolUse: { input: JSON.stringify(toolUse.input) } });
    }
    if (text) this.#blocks.add(index, { text });
    for (const part of citationsContent?.content ?? []) this.#blocks.add(index, { text: part.text });
    for (const citation of citationsContent?.citations ?? []) this.#blocks.add(index, { citation });
    if (reasoningContent) {
      const { reasoningText, redactedContent } = reasoningContent;
      this.#blocks.add(index, { reasoningContent: { ...reasoningText, redactedContent } });
    }
    if (image) this.#blocks.add(index, { image });
    this.#blocks.stop(index);
  }

  #finish({ usage, serviceTier }: Pick<ConverseEvent, 'usage' | 'serviceTier'>): void {
    this.#blocks.end();
    const tier = readTier(serviceTier?.type);
    if (tier !== undefined) this.#pending.push({ kind: 'tier', tier });
    const counts = readUsage(usage);
    if (counts !== undefined) this.#pending.push({ kind: 'usage', usage: counts });
    const native = this.#stopReason;
    this.#pending.push({ kind: 'finish', reason: finishReasons[native ?? ''] ?? 'stop', native });
    this.#finished = true;
  }
}

/**
 * The token counts in disjoint classes, which is how this dialect reports them; undefined when it reported none.
 */
export function readUsage(counts: WireUsage | null | undefined): Usage | undefined {
  const written = usedCount(counts?.cacheWriteInputTokens);
  const cacheWriteLong = usedCount(
    listOf(counts?.cacheDetails).find((one) => one?.ttl === '1h')?.inputTokens,
  );
  const usage: Usage = {
    uncachedInput: usedCount(counts?.inputTokens),
    cacheRead: usedCount(counts?.cacheReadInputTokens),
    cacheWrite: written === undefined ? undefined : Math.max(0, written - (cacheWriteLong ?? 0)),
    cacheWriteLong,
    output: usedCount(counts?.outputTokens),
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
}

/** The tier that served, in the gateway's terms; undefined where unreported. */
export function readTier(tier: string | null | undefined): ServedTier | undefined {
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/**
 * The members of the dialect's answers that are read. The vendor's types say which are mandatory; here every one may
 * be missing.
 */
interface ConverseEvent {
  readonly contentBlockIndex?: number | null;
  readonly start?: BlockStart | null;
  readonly delta?: BlockPiece | null;
  readonly stopReason?: string | null;
  readonly usage?: WireUsage | null;
  readonly serviceTier?: { readonly type?: string | null } | null;
}

/** How a block begins; text and thoughts have no beginning. */
interface BlockStart {
  readonly toolUse?: { readonly toolUseId?: string | null; readonly name?: string | null } | null;
  readonly image?: { readonly format?: string | null } | null;
}

/** The pieces that extend a block. */
interface BlockPiece {
  readonly text?: string | null;
  readonly toolUse?: { readonly input?: string | null } | null;
  readonly reasoningContent?: ReasoningPiece | null;
  readonly citation?: WireCitation | null;
  readonly image?: { readonly source?: { readonly bytes?: string | null } | null } | null;
}

/** Thoughts, their signature, or redacted thoughts in base64. */
interface ReasoningPiece {
  readonly text?: string | null;
  readonly signature?: string | null;
  readonly redactedContent?: string | null;
}

/** The source of cited text. */
interface WireCitation {
  readonly title?: string | null;
  readonly source?: string | null;
  readonly sourceContent?: readonly { readonly text?: string | null }[] | null;
  readonly location?: { readonly web?: { readonly url?: string | null } | null } | null;
}

/** A block of an unstreamed answer. */
interface WholeBlock {
  readonly text?: string | null;
  readonly toolUse?: {
    readonly toolUseId?: string | null;
    readonly name?: string | null;
    readonly input?: unknown;
  } | null;
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: string | null; readonly signature?: string | null } | null;
    readonly redactedContent?: string | null;
  } | null;
  readonly citationsContent?: {
    readonly content?: readonly { readonly text?: string | null }[] | null;
    readonly citations?: readonly WireCitation[] | null;
  } | null;
  readonly image?: {
    readonly format?: string | null;
    readonly source?: { readonly bytes?: string | null } | null;
  } | null;
}

/** Token counts; cache reads and writes are not part of `inputTokens`. */
interface WireUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly cacheReadInputTokens?: unknown;
  readonly cacheWriteInputTokens?: unknown;
  readonly cacheDetails?: readonly { readonly ttl?: unknown; readonly inputTokens?: unknown }[] | null;
}
