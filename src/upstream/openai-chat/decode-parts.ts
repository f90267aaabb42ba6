import type { Annotation, Delta, OutputLogprob, ReasoningFormat, TokenLogprob } from '../../core/delta.ts';
import { reasoningFormats } from '../../core/reasoning-formats.ts';
import { ArrivingObject } from '../../util/arriving-object.ts';
import { isObject } from '../../util/json.ts';
import { parseDataUrl } from '../inline-file.ts';
import { argumentsText, calledName, countOf, type Lenient, textOf } from '../lenient.ts';
import { callSignature, callSignatureFormat } from './call-signatures.ts';
import type { CallFragment, Chunk, ChunkChoice, ChunkDelta, WireLogprob } from './chunk.ts';

/** A call whose fragments are still arriving. */
interface OpenCall {
  block: number;
  id: string | undefined;
  name: string | undefined;
  /** Whether its input is free text. */
  isCustom: boolean;
  /** The arguments in the provider's form. */
  readonly input: ArrivingObject;
}

/**
 * Joins tool calls from fragments. The dialect numbers calls and names each in its first fragment. Compatible
 * providers repeat ids and names, omit numbers, give all calls the same number or id, send a call in one piece, or
 * send its arguments as an object.
 */
export class CallDecoder {
  readonly #nextBlock: () => number;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  /** The first call of each id. */
  readonly #byId = new Map<string, OpenCall>();

  /** @param nextBlock returns the block number of a new call. */
  constructor(nextBlock: () => number) {
    this.#nextBlock = nextBlock;
  }

  /** Whether any call was made. */
  get any(): boolean {
    return this.#calls.length > 0;
  }

  /** Whether the arguments of a call have begun and not ended. */
  get isCut(): boolean {
    return this.#calls.some(({ isCustom, input }) => !isCustom && input.text.trim() !== '' && !input.isWhole);
  }

  /** Reads one fragment and appends its deltas. */
  decode(fragment: CallFragment, into: Delta[]): void {
    const id = textOf(fragment.id);
    const name = textOf(fragment.function?.name) ?? textOf(fragment.custom?.name);
    const text = argumentsText(fragment.custom ? fragment.custom.input : fragment.function?.arguments) ?? '';
    const before = this.#calls.length;
    const call = this.#find(fragment.index, id, name, text);
    if (this.#calls.length > before) this.#sign(call, callSignature(fragment), into);
    if (call.id === undefined && id !== undefined) {
      call.id = id;
      if (!this.#byId.has(id)) this.#byId.set(id, call);
    }
    if (call.name === undefined && name !== undefined) {
      this.#open(call, name, fragment.custom != null, into);
      write(call, call.input.text, into);
    }
    call.input.add(text);
    if (call.name !== undefined) write(call, text, into);
  }

  /** @throws HeadgateError `provider_failed` when a call has no name. */
  close(): void {
    for (const { name } of this.#calls) calledName(name);
  }

  #find(
    index: number | null | undefined,
    id: string | undefined,
    name: string | undefined,
    text: string,
  ): OpenCall {
    // One compatible provider numbers every call -1.
    const number = typeof index === 'number' && index >= 0 ? index : undefined;
    const known = number === undefined ? this.#findUnnumbered(id, name) : this.#byIndex.get(number);
    const hasAnotherId = id !== undefined && name !== undefined && known?.id !== undefined && known.id !== id;
    // A named fragment after complete arguments is a repetition, unless the name or the arguments differ.
    const bringsMore = text.trim() !== '' || name !== known?.name;
    const begins =
      hasAnotherId || (name !== undefined && bringsMore && known?.name !== undefined && known.input.isWhole);
    if (known !== undefined && !begins) return known;
    const call = {
      block: this.#nextBlock(),
      id: undefined,
      name: undefined,
      isCustom: false,
      input: new ArrivingObject(),
    };
    this.#calls.push(call);
    if (number !== undefined) this.#byIndex.set(number, call);
    return call;
  }

  /** The seal of a call stands before it, as thoughts do. */
  #sign(call: OpenCall, signature: string | undefined, into: Delta[]): void {
    if (signature === undefined) return;
    const { block } = call;
    call.block = this.#nextBlock();
    into.push({ kind: 'seal', block, format: callSignatureFormat, signature }, { kind: 'end', block });
  }

  #findUnnumbered(id: string | undefined, name: string | undefined): OpenCall | undefined {
    const last = this.#calls.at(-1);
    if (id !== undefined) return this.#byId.get(id) ?? (name === undefined ? last : undefined);
    if (name === undefined || last?.name === undefined) return last;
    // A name alone begins another call, unless it is repeated while the arguments are incomplete.
    return last.name === name && !last.input.isWhole ? last : undefined;
  }

  #open(call: OpenCall, name: string, custom: boolean, into: Delta[]): void {
    call.name = name;
    call.isCustom = custom;
    // Outputs of two calls with the same id could not be matched, so the later call gets an id of ours.
    const isFirst = call.id !== undefined && this.#byId.get(call.id) === call;
    const callId = isFirst ? call.id : undefined;
    into.push({ kind: 'call', block: call.block, form: custom ? 'custom' : 'function', name, callId });
  }
}

function write({ block }: OpenCall, text: string, into: Delta[]): void {
  if (text !== '') into.push({ kind: 'arguments', block, text });
}

/** Text and reasoning of a chunk, in whichever form. */
interface Spoken {
  readonly thinking: string;
  readonly text: string;
}

/** Reads text and reasoning: plain members, or content as a list of parts that mixes both. */
export function decodeContent(delta: ChunkDelta): Spoken {
  const parts = Array.isArray(delta.content) ? delta.content : [];
  const thinking =
    textOf(delta.reasoning_content) ?? textOf(delta.reasoning) ?? parts.map(thoughtOf).join('');
  return { thinking, text: textOf(delta.content) ?? joinTexts(parts) };
}

/** The thought in a part of mixed content, in either of its two forms. */
function thoughtOf(part: unknown): string {
  if (!isObject(part)) return '';
  if (part.type === 'thinking') return joinTexts(part.thinking);
  return part.type === 'reasoning' ? joinTexts(part.summary) : '';
}

/** The picture of an entry: the base64 of its data URL, or its address. */
export function decodePicture(entry: { readonly image_url?: unknown } | null): string | undefined {
  const url = textOf(isObject(entry?.image_url) ? entry.image_url.url : entry?.image_url);
  return url === undefined ? undefined : (parseDataUrl(url)?.base64 ?? url);
}

/**
 * Reads reasoning in typed pieces. Their text is used only where the chunk has no plain reasoning; blobs and
 * signatures are always used, because they appear nowhere else.
 */
export class ReasoningDetails {
  readonly #block: number;
  #emitted = '';

  constructor(block: number) {
    this.#block = block;
  }

  decode(delta: ChunkDelta, spoken: boolean, into: Delta[]): void {
    const block = this.#block;
    for (const detail of delta.reasoning_details ?? []) {
      const text = spoken ? '' : this.#fresh(textOf(detail.text) ?? '');
      const summary = textOf(detail.summary);
      if (text !== '') into.push({ kind: 'thinking', block, text });
      if (summary !== undefined && !spoken) into.push({ kind: 'summary', block, text: summary });
      const encrypted = textOf(detail.data);
      const signature = textOf(detail.signature);
      if (encrypted === undefined && signature === undefined) continue;
      into.push({ kind: 'seal', block, format: formatOf(detail.format), encrypted, signature });
    }
  }

  /**
   * The new text of a piece. One provider documents that it repeats everything from the beginning each time, but it
   * does not always do so.
   */
  #fresh(text: string): string {
    const repeats = text.startsWith(this.#emitted);
    const fresh = repeats ? text.slice(this.#emitted.length) : text;
    this.#emitted += fresh;
    return fresh;
  }
}

/** The pieces of speech in a delta or a message. */
export function decodeSpeech(audio: NonNullable<ChunkDelta['audio']>): Delta[] {
  const id = textOf(audio.id);
  const data = textOf(audio.data);
  const transcript = textOf(audio.transcript);
  const expiresAt = Number.isInteger(audio.expires_at) ? (audio.expires_at ?? undefined) : undefined;
  const isEmpty = [id, data, transcript, expiresAt].every((member) => member === undefined);
  return isEmpty ? [] : [{ kind: 'audio', id, data, transcript, expiresAt }];
}

/** The log probabilities of a chunk's tokens; undefined without any. */
export function decodeLogprobs(choice: ChunkChoice): OutputLogprob[] | undefined {
  const tokens = choice.logprobs?.content;
  if (!Array.isArray(tokens) || tokens.length === 0) return undefined;
  return tokens.map((token) => ({
    ...decodeToken(token),
    top_logprobs: (token.top_logprobs ?? []).map(decodeToken),
  }));
}

function decodeToken(entry: Lenient<WireLogprob>): TokenLogprob {
  const token = textOf(entry.token) ?? '';
  const bytes = Array.isArray(entry.bytes)
    ? entry.bytes.filter((byte) => typeof byte === 'number')
    : undefined;
  const logprob = typeof entry.logprob === 'number' ? entry.logprob : 0;
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}

function joinTexts(parts: unknown): string {
  if (!Array.isArray(parts)) return textOf(parts) ?? '';
  return parts.map((part) => (isObject(part) ? (textOf(part.text) ?? '') : '')).join('');
}

function formatOf(value: unknown): ReasoningFormat {
  return reasoningFormats.find((format) => format === value) ?? 'unknown';
}

/** A page that an answer cites. */
interface Source {
  readonly url: string;
  readonly title: string;
}

const mark = /\[(\d{1,3})\]/g;

/**
 * Collects the citations of one answer in either form: annotations with offsets, or a list of sources to which the
 * text refers by `[n]`. Each citation is emitted once, however often chunks repeat it.
 */
export class Citations {
  #sources: readonly Source[] = [];
  readonly #emitted = new Set<string>();

  /** Stores the sources that a chunk lists; a later list replaces an earlier one. */
  note(chunk: Chunk): void {
    const lists = [
      chunk.search_results,
      chunk.search_info?.search_results,
      chunk.web_search,
      chunk.citations,
    ];
    for (const list of lists) {
      const sources = Array.isArray(list) ? list.flatMap(readSource) : [];
      if (sources.length === 0) continue;
      this.#sources = sources;
      return;
    }
  }

  /** The new annotations of a chunk; missing offsets become 0. */
  read(annotations: NonNullable<ChunkDelta['annotations']>): Annotation[] {
    const found = annotations.flatMap((entry): Annotation[] => {
      const citation = entry.url_citation ?? entry;
      const url = textOf(citation.url);
      const content = textOf(citation.content);
      if (url === undefined) return [];
      return [
        {
          type: 'url_citation',
          url,
          title: textOf(citation.title) ?? '',
          start_index: countOf(citation.start_index) ?? 0,
          end_index: countOf(citation.end_index) ?? 0,
          ...(content === undefined ? {} : { content }),
        },
      ];
    });
    return this.#fresh(found);
  }

  /** The sources as annotations of the finished text: at each `[n]` that refers to one, else at its start. */
  ofText(text: string): Annotation[] {
    if (this.#sources.length === 0) return [];
    const unused = new Set(this.#sources);
    const found: Annotation[] = [];
    for (const match of text.matchAll(mark)) {
      const source = this.#sources[Number(match[1]) - 1];
      if (source === undefined) continue;
      unused.delete(source);
      found.push(cite(source, match.index, match.index + match[0].length));
    }
    return this.#fresh([...found, ...[...unused].map((source) => cite(source, 0, 0))]);
  }

  #fresh(annotations: readonly Annotation[]): Annotation[] {
    return annotations.filter((annotation) => {
      const words = JSON.stringify(annotation);
      if (this.#emitted.has(words)) return false;
      this.#emitted.add(words);
      return true;
    });
  }
}

function readSource(entry: unknown): Source[] {
  if (typeof entry === 'string') return entry === '' ? [] : [{ url: entry, title: '' }];
  if (!isObject(entry)) return [];
  const url = textOf(entry.url) ?? textOf(entry.link);
  return url === undefined ? [] : [{ url, title: textOf(entry.title) ?? '' }];
}

function cite({ url, title }: Source, start_index: number, end_index: number): Annotation {
  return { type: 'url_citation', url, title, start_index, end_index };
}
