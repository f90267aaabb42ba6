import type { Annotation, Delta, OutputLogprob, Phase } from '../../../core/delta.ts';
import { createId } from '../../../core/ids.ts';
import { type FileAnnotation, type ParsedFile, toFileAnnotation } from '../../../core/parsed-file.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import type { ClosedStatus, Emit, ItemPlace, ItemWriter } from './item-writer.ts';
import type { ItemStatus, OutputMessage, OutputPart } from './response.ts';

type TakeFiles = () => readonly ParsedFile[];

/**
 * An assistant message: text and refusal parts in the order they come (docs/spec/answers.md#order-of-events `message`).
 */
export class MessageWriter implements ItemWriter {
  readonly block: number;
  ended = false;
  readonly yields = true;
  readonly #emit: Emit;
  readonly #takeFiles: TakeFiles;
  readonly #place: ItemPlace;
  readonly #phase: Phase | undefined;
  readonly #content: OutputPart[] = [];
  #open: OpenPart | undefined;

  /** @param takeFiles Returns the files that the first text of the answer shows, once. */
  constructor(
    block: number,
    outputIndex: number,
    phase: Phase | undefined,
    emit: Emit,
    takeFiles: TakeFiles = () => [],
  ) {
    this.block = block;
    this.#takeFiles = takeFiles;
    this.#emit = emit;
    this.#phase = phase;
    this.#place = { item_id: createId('msg_'), output_index: outputIndex };
    emit({
      type: 'response.output_item.added',
      output_index: outputIndex,
      item: this.#item('in_progress', []),
    });
  }

  get outputIndex(): number {
    return this.#place.output_index;
  }

  takes(delta: Delta): boolean {
    return delta.kind === 'text' || delta.kind === 'refusal' || delta.kind === 'annotation';
  }

  write(delta: Delta): void {
    if (delta.kind === 'text') {
      if (delta.text === '') return;
      this.#part('output_text', delta.part ?? 0).append(delta.text, delta.logprobs ?? []);
    } else if (delta.kind === 'refusal') {
      if (delta.text === '') return;
      this.#part('refusal', delta.part ?? 0).append(delta.text, []);
    } else if (delta.kind === 'annotation') {
      // Behind a refusal it is late: the text it belongs to is closed.
      if (this.#open?.type === 'refusal') return;
      const part = this.#open ?? this.#part('output_text', 0);
      part.annotate(delta.annotation);
    }
  }

  close(status: ClosedStatus): OutputMessage {
    this.#closePart();
    const item = this.#item(status, this.#content);
    this.#emit({ type: 'response.output_item.done', output_index: this.#place.output_index, item });
    return item;
  }

  abandon(): OutputMessage {
    const content = this.#open === undefined ? this.#content : [...this.#content, this.#open.value()];
    return this.#item('incomplete', content);
  }

  #part(type: OutputPart['type'], number: number): OpenPart {
    if (this.#open?.type === type && this.#open.number === number) return this.#open;
    this.#closePart();
    this.#open = new OpenPart(
      type,
      number,
      { ...this.#place, content_index: this.#content.length },
      this.#emit,
      this.#takeFiles,
    );
    return this.#open;
  }

  #closePart(): void {
    if (this.#open === undefined) return;
    this.#content.push(this.#open.close());
    this.#open = undefined;
  }

  #item(status: ItemStatus, content: OutputPart[]): OutputMessage {
    const item: OutputMessage = {
      type: 'message',
      id: this.#place.item_id,
      role: 'assistant',
      status,
      content,
    };
    if (this.#phase !== undefined) item.phase = this.#phase;
    return item;
  }
}

class OpenPart {
  readonly type: OutputPart['type'];
  readonly number: number;
  readonly #place: ItemPlace & { content_index: number };
  readonly #emit: Emit;
  readonly #annotations: (Annotation | FileAnnotation)[] = [];
  /** Citations that arrived before the words they cite. */
  readonly #early: Annotation[] = [];
  /** Made for the first citation: most texts have none. */
  #places: CitationPlaces | undefined;
  readonly #logprobs: OutputLogprob[] = [];
  readonly #text = new GrowingText();

  constructor(
    type: OutputPart['type'],
    number: number,
    place: ItemPlace & { content_index: number },
    emit: Emit,
    files: TakeFiles,
  ) {
    this.type = type;
    this.number = number;
    this.#place = place;
    this.#emit = emit;
    emit({ type: 'response.content_part.added', ...place, part: this.#empty() });
    if (type === 'output_text') for (const file of files()) this.#add(toFileAnnotation(file));
  }

  append(text: string, logprobs: readonly OutputLogprob[]): void {
    this.#text.append(text);
    const { item_id, output_index, content_index } = this.#place;
    if (this.type === 'refusal') {
      this.#emit({ type: 'response.refusal.delta', item_id, output_index, content_index, delta: text });
      return;
    }
    for (const logprob of logprobs) this.#logprobs.push(logprob);
    this.#emit({
      type: 'response.output_text.delta',
      item_id,
      output_index,
      content_index,
      delta: text,
      logprobs: [...logprobs],
    });
  }

  annotate(annotation: Annotation): void {
    this.#places ??= new CitationPlaces();
    if (this.#places.isReached(annotation, this.#text.value)) this.#cite(annotation, this.#places);
    else this.#early.push(annotation);
  }

  #cite(told: Annotation, places: CitationPlaces): void {
    this.#add(places.place(told, this.#text.value));
  }

  /** Adds an annotation that has no place in the text, or has it. */
  #add(annotation: Annotation | FileAnnotation): void {
    this.#emit({
      type: 'response.output_text.annotation.added',
      ...this.#place,
      annotation_index: this.#annotations.length,
      annotation,
    });
    this.#annotations.push(annotation);
  }

  value(): OutputPart {
    if (this.type === 'refusal') return { type: 'refusal', refusal: this.#text.value };
    return {
      type: 'output_text',
      text: this.#text.value,
      annotations: this.#annotations,
      logprobs: this.#logprobs,
    };
  }

  close(): OutputPart {
    if (this.#places !== undefined)
      for (const annotation of this.#early) this.#cite(annotation, this.#places);
    const part = this.value();
    if (part.type === 'refusal') {
      this.#emit({ type: 'response.refusal.done', ...this.#place, refusal: part.refusal });
    } else {
      this.#emit({
        type: 'response.output_text.done',
        ...this.#place,
        text: part.text,
        logprobs: part.logprobs,
      });
    }
    this.#emit({ type: 'response.content_part.done', ...this.#place, part });
    return part;
  }

  #empty(): OutputPart {
    if (this.type === 'refusal') return { type: 'refusal', refusal: '' };
    return { type: 'output_text', text: '', annotations: [], logprobs: [] };
  }
}

type Cited = Extract<Annotation, { readonly type: 'url_citation' }>;

/** Cited text longer than this many UTF-16 units is not searched for an address. */
const longestCited = 10_000;

/**
 * Brings the places of citations into what the public interface counts: UTF-16 units within the text. Some providers
 * count whole characters, which differs behind each one that takes two units. They do not say so; where their places
 * miss the link a citation stands for, and the same places counted in characters hit it, that is what they meant.
 */
export class CitationPlaces {
  /** Where the characters of two units begin, as far as it was looked. */
  readonly #pairs: number[] = [];
  #seen = 0;

  /** Whether a citation ends within the text that is known so far. */
  isReached(annotation: Annotation, text: string): boolean {
    return annotation.type !== 'url_citation' || !(annotation.end_index > text.length);
  }

  /** The citation at a place that is one of this text. */
  place(annotation: Annotation, text: string): Annotation {
    if (annotation.type !== 'url_citation') return annotation;
    const start = within(annotation.start_index, 0, text.length);
    const end = within(annotation.end_index, start, text.length);
    const [start_index, end_index] = this.#meant(annotation, start, end, text);
    if (start_index === annotation.start_index && end_index === annotation.end_index) return annotation;
    return { ...annotation, start_index, end_index };
  }

  #meant({ url }: Cited, start: number, end: number, text: string): readonly [number, number] {
    const names = (from: number, to: number) =>
      to - from <= longestCited && text.slice(from, to).includes(url);
    if (end === start || names(start, end)) return [start, end];
    this.#look(text);
    const [from, to] = [this.#unitsBefore(start), this.#unitsBefore(end)];
    return from <= text.length && names(from, to) ? [from, Math.min(to, text.length)] : [start, end];
  }

  #look(text: string): void {
    const pair = /[\ud800-\udbff][\udc00-\udfff]/g;
    pair.lastIndex = this.#seen;
    for (let found = pair.exec(text); found !== null; found = pair.exec(text)) this.#pairs.push(found.index);
    this.#seen = Math.max(this.#seen, text.length);
  }

  /** How many units the first so many characters take. */
  #unitsBefore(characters: number): number {
    let [low, high] = [0, this.#pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) - middle < characters) low = middle + 1;
      else high = middle;
    }
    return characters + low;
  }
}

function within(index: number, least: number, most: number): number {
  return Number.isInteger(index) ? Math.min(Math.max(index, least), most) : least;
}
