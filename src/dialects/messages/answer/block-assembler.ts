import type { Annotation, Delta } from '../../../core/delta.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import { ArrivingObject } from '../../../util/arriving-object.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import { isObject, type JsonObject, parseJson } from '../../../util/json.ts';
import { WaitingDeltas, WholeCharacters } from '../../gateway/assembly/waiting-deltas.ts';
import { writeCitation } from '../../gateway/carrier.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import type { BlockSink, BlockWriter } from './block-writer.ts';
import { HostedWriter, searchBlocks, searchResult, writeWhole } from './hosted-writer.ts';
import type { Block, Emit } from './message.ts';
import { type ThinkingSettings, ThinkingWriter } from './thinking-writer.ts';

type BlockDelta = Extract<Delta, { block: number }>;

/** How the blocks of an answer are shaped. */
export interface BlockSettings extends ThinkingSettings {
  /** Whether thoughts are left out altogether. */
  readonly hidesThoughts: boolean;
}

/**
 * Turns deltas into content blocks, strictly one after the other (docs/spec/messages.md#order-of-events): what begins
 * while a call or a hosted tool is unfinished waits until that is whole.
 */
export class BlockAssembler implements BlockSink {
  readonly #settings: BlockSettings;
  readonly #emit: Emit;
  readonly #blocks: Block[] = [];
  readonly #characters = new WholeCharacters();
  readonly #waiting = new WaitingDeltas();
  readonly #closed = new Set<number>();
  #open: BlockWriter | undefined;
  #index = 0;
  #refusal = '';
  #calls = false;

  constructor(settings: BlockSettings, emit: Emit) {
    this.#settings = settings;
    this.#emit = emit;
  }

  /** The blocks so far, without the one that is open. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** Whether the model called a tool of the client. */
  get calls(): boolean {
    return this.#calls;
  }

  /** What the model said when it refused; empty when it did not. */
  get refusal(): string {
    return this.#refusal;
  }

  /** @throws HeadgateError `provider_failed` when the provider contradicts itself. */
  push(delta: Delta): void {
    if ('text' in delta) this.#pushBlock(this.#characters.complete(delta));
    else if ('block' in delta) this.#pushBlock(delta);
  }

  /** Adds what a tool did that the gateway ran. */
  addExecuted(type: string, fields: JsonObject): void {
    this.finish();
    for (const block of executedBlocks(type, fields)) {
      writeWhole(block, this);
      this.#blocks.push(block);
    }
  }

  /** Ends everything that is open. */
  finish(): void {
    do {
      this.#close();
      this.#replay();
    } while (this.#open !== undefined || !this.#waiting.isEmpty);
  }

  start(content_block: Block): void {
    this.#emit({ type: 'content_block_start', index: this.#index, content_block });
  }

  delta(delta: { readonly type: string; readonly [member: string]: unknown }): void {
    this.#emit({ type: 'content_block_delta', index: this.#index, delta });
  }

  stop(): void {
    this.#emit({ type: 'content_block_stop', index: this.#index });
    this.#index += 1;
  }

  #pushBlock(delta: BlockDelta): void {
    if ('text' in delta && delta.text === '') return;
    if (this.#settings.hidesThoughts && isThought(delta)) return;
    if (!this.#waiting.isEmpty || !this.#place(delta)) this.#wait(delta);
  }

  #wait(delta: BlockDelta): void {
    // What belongs to the open block overtakes what waits for its end.
    if (this.#open?.block === delta.block && this.#place(delta)) this.#replay();
    else this.#waiting.add(delta);
  }

  /** Writes a delta where it belongs, or says that it has to wait. */
  #place(delta: BlockDelta): boolean {
    const open = this.#open;
    if (delta.kind === 'end') {
      if (open?.block === delta.block) open.ended = true;
      return true;
    }
    if (open?.block === delta.block && open.takes(delta)) {
      this.#write(open, delta);
      return true;
    }
    if (open?.yields === false) return false;
    this.#begin(delta);
    return true;
  }

  #write(writer: BlockWriter, delta: BlockDelta): void {
    if (delta.kind === 'refusal') this.#refusal += delta.text;
    writer.write(delta);
  }

  #begin(delta: BlockDelta): void {
    if (delta.kind === 'arguments') {
      if (delta.text.trim() === '') return;
      throw new HeadgateError('provider_failed', 'The provider sent tool arguments outside of a call.');
    }
    // What belongs to a block that is closed cannot be added to it.
    if ((delta.kind === 'seal' || delta.kind === 'annotation') && this.#closed.has(delta.block)) return;
    const isBeginning = delta.kind === 'hosted' || !isProgress(delta);
    if (!isBeginning) return;
    this.#close();
    const writer = this.#createWriter(delta);
    this.#open = writer;
    if (writer !== undefined) this.#write(writer, delta);
  }

  #createWriter(delta: BlockDelta): BlockWriter | undefined {
    switch (delta.kind) {
      case 'text':
      case 'refusal':
      case 'annotation':
        return new TextWriter(delta.block, this, this.#settings.carriers);
      case 'thinking':
      case 'summary':
      case 'seal':
        return new ThinkingWriter(delta.block, this.#settings, this);
      case 'call':
        this.#calls = true;
        return new CallWriter(delta, this);
      case 'hosted':
        return new HostedWriter(delta, this);
    }
    return undefined;
  }

  #close(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#closed.add(open.block);
    this.#blocks.push(...open.close());
  }

  /** Gives what waits its turn, until something unfinished has all that came of it. */
  #replay(): void {
    for (;;) {
      const open = this.#open;
      const delta =
        open?.yields === false
          ? this.#waiting.takeOf(open.block, (next) => next.kind === 'end' || open.takes(next))
          : this.#waiting.take(() => true);
      if (delta === undefined) return;
      this.#place(delta);
    }
  }
}

function isThought({ kind }: BlockDelta): boolean {
  return kind === 'thinking' || kind === 'summary' || kind === 'seal';
}

/** Whether a delta continues the block of a hosted tool instead of beginning it. */
function isProgress({ kind }: BlockDelta): boolean {
  return kind === 'stage' || kind === 'fragment' || kind === 'partial_image' || kind === 'result';
}

type Call = Extract<Delta, { kind: 'call' }>;

/** A call of a client's tool, with its arguments as they are written. */
class CallWriter implements BlockWriter {
  readonly block: number;
  ended = false;
  readonly #sink: BlockSink;
  readonly #head: { readonly type: 'tool_use'; readonly id: string; readonly name: string };
  readonly #input = new ArrivingObject();

  constructor({ block, callId, name }: Call, sink: BlockSink) {
    this.block = block;
    this.#sink = sink;
    this.#head = { type: 'tool_use', id: callId ?? createId('toolu_'), name };
    sink.start({ ...this.#head, input: {}, caller: { type: 'direct' } });
  }

  /** Some dialects never say that a call is over: it gives way once its arguments are a whole object. */
  get yields(): boolean {
    return this.ended || this.#input.isWhole;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'arguments';
  }

  write(delta: Delta): void {
    if (delta.kind === 'arguments') this.#append(delta.text);
  }

  close(): readonly Block[] {
    if (this.#input.text.trim() === '') this.#append('{}');
    this.#sink.stop();
    const { text } = this.#input;
    const value = parseJson(text);
    const input = isObject(value) ? value : { _raw_arguments: text };
    return [{ ...this.#head, input, caller: { type: 'direct' } }];
  }

  #append(text: string): void {
    if (text === '') return;
    this.#input.add(text);
    this.#sink.delta({ type: 'input_json_delta', partial_json: text });
  }
}

const direct = { type: 'direct' } as const;

/**
 * The blocks of a tool that the gateway ran (docs/spec/messages.md#server-tools): the call and its result. Tools for
 * which the format has no result show nothing.
 * @param fields What clients of `POST /responses` see of the call.
 */
function executedBlocks(type: string, fields: JsonObject): readonly Block[] {
  const id = createId('srvtoolu_hg');
  switch (type) {
    case 'service:web_search':
      return searchBlocks(id, queryOf(fields), resultsOf(fields));
    case 'service:web_fetch':
      return pair(id, 'web_fetch', { url: fields.url ?? '' }, 'web_fetch_tool_result', fetched(fields));
    case 'service:advisor':
      return pair(id, 'advisor', { prompt: fields.prompt ?? '' }, 'advisor_tool_result', {
        type: 'advisor_result',
        text: String(fields.advice ?? fields.error ?? ''),
      });
    case 'service:tool_search':
      return pair(id, 'tool_search_tool_regex', { query: fields.query ?? '' }, 'tool_search_tool_result', {
        ...(fields.error
          ? {
              type: 'tool_search_tool_result_error',
              error_code: 'invalid_tool_input',
              error_message: String(fields.error),
            }
          : {
              type: 'tool_search_tool_search_result',
              tool_references: namesOf(fields).map((tool_name) => ({ type: 'tool_reference', tool_name })),
            }),
      });
    case 'service:shell': {
      const { action, output, error } = fields;
      const result = error ? { error } : { output };
      return pair(id, 'shell', { commands: commandsOf(action) }, 'service_shell_tool_result', result);
    }
    case 'service:bash': {
      const { command, stdout, stderr, exitCode, error } = fields;
      const result = error ? { error } : { stdout, stderr, exitCode };
      return pair(id, 'bash', { command: command ?? '' }, 'service_bash_tool_result', result);
    }
    default:
      return [];
  }
}

function commandsOf(action: unknown): unknown {
  return isObject(action) ? action.commands : [];
}

function pair(id: string, name: string, input: JsonObject, type: string, content: unknown): readonly Block[] {
  return [
    { type: 'server_tool_use', id, name, input, caller: direct },
    { type, tool_use_id: id, content, caller: direct },
  ];
}

function queryOf({ query, action }: JsonObject): string {
  if (typeof query === 'string') return query;
  return isObject(action) && typeof action.query === 'string' ? action.query : '';
}

function resultsOf({ error, results, action }: JsonObject): unknown {
  if (error) return { type: 'web_search_tool_result_error', error_code: 'unavailable' };
  const sources = results ?? (isObject(action) ? action.sources : undefined);
  const found = Array.isArray(sources) ? sources.filter(isObject) : [];
  return found.flatMap(({ url, title }) => (typeof url === 'string' ? searchResult(url, title) : []));
}

function fetched({ url, title, content, error }: JsonObject): JsonObject {
  if (error) return { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' };
  const source = { type: 'text', media_type: 'text/plain', data: String(content ?? '') };
  const document = { type: 'document', source, title: title ?? null, citations: null };
  return { type: 'web_fetch_result', url: url ?? '', content: document, retrieved_at: null };
}

function namesOf({ tools, tool_references }: JsonObject): readonly string[] {
  const found = [tools, tool_references].find(Array.isArray) ?? [];
  return found.flatMap((one: unknown) => {
    if (typeof one === 'string') return one;
    return isObject(one) && typeof one.name === 'string' ? one.name : [];
  });
}

/**
 * Text, in as many blocks as its citations need: what follows a citation is a new block, so that each covers no text
 * that came after it (docs/spec/messages.md#citations).
 */
class TextWriter implements BlockWriter {
  readonly block: number;
  ended = false;
  readonly yields = true;
  readonly #sink: BlockSink;
  readonly #carriers: CarrierSeal | undefined;
  readonly #blocks: Block[] = [];
  /** All text, because citations count from its beginning. */
  readonly #text = new GrowingText();
  #from = 0;
  #length = 0;
  #citations: JsonObject[] = [];
  #isOpen = false;

  /** @param carriers Seals what this format has no place for. */
  constructor(block: number, sink: BlockSink, carriers?: CarrierSeal) {
    this.block = block;
    this.#carriers = carriers;
    this.#sink = sink;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'text' || kind === 'refusal' || kind === 'annotation';
  }

  write(delta: Delta): void {
    if (delta.kind === 'annotation') this.#cite(this.#toCitation(delta.annotation));
    else if (delta.kind === 'text') this.#append(delta.text, delta.newBlock);
    else if (delta.kind === 'refusal') this.#append(delta.text);
  }

  close(): readonly Block[] {
    this.#closeBlock();
    return this.#blocks;
  }

  #append(text: string, isNew?: true): void {
    if (isNew === true || this.#citations.length > 0) this.#closeBlock();
    this.#open();
    this.#text.append(text);
    this.#length += text.length;
    this.#sink.delta({ type: 'text_delta', text });
  }

  #cite(citation: JsonObject | undefined): void {
    // A citation of nothing would be a block without text.
    if (citation === undefined || !this.#isOpen) return;
    this.#citations.push(citation);
    this.#sink.delta({ type: 'citations_delta', citation });
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#sink.start({ type: 'text', text: '', citations: [] });
  }

  #closeBlock(): void {
    if (!this.#isOpen) return;
    const text = this.#from === 0 ? this.#text.value : this.#text.value.slice(this.#from);
    this.#blocks.push({ type: 'text', text, citations: this.#citations });
    this.#sink.stop();
    this.#from = this.#length;
    this.#citations = [];
    this.#isOpen = false;
  }

  /** A provider's own citation, or one of a web page; undefined for files, whose places this format cannot name. */
  #toCitation(annotation: Annotation): JsonObject | undefined {
    if ('citation' in annotation && annotation.citation !== undefined) return annotation.citation;
    if (annotation.type !== 'url_citation') return undefined;
    const { url, title, start_index, end_index, content } = annotation;
    const carried = { annotation, at: this.#length };
    return {
      type: 'web_search_result_location',
      url,
      title,
      cited_text: content ?? this.#text.value.slice(start_index, end_index),
      encrypted_index: this.#carriers === undefined ? '' : writeCitation(carried, this.#carriers),
    };
  }
}
