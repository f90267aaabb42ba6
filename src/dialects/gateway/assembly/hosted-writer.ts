import type { Delta } from '../../../core/delta.ts';
import { createId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { HostedKindRow, Stage } from './hosted-kinds.ts';
import { withoutNulls } from './hosted-members.ts';
import type { HostedEventBody, HostedProgressType, HostedStatus, OutputHostedItem } from './hosted-output.ts';
import type { ClosedStatus, Emit, ItemPlace, ItemWriter } from './item-writer.ts';

type HostedDelta = Extract<Delta, { kind: 'hosted' }>;

/** A second beginning of the same block says nothing new. */
const taken: ReadonlySet<Delta['kind']> = new Set(['hosted', 'stage', 'fragment', 'partial_image', 'result']);

/**
 * An item of a hosted tool: its progress, what it writes piece by piece, and what became of it
 * (docs/spec/answers.md#events-of-items).
 */
export class HostedWriter implements ItemWriter {
  readonly block: number;
  readonly outputIndex: number;
  ended = false;
  readonly #row: HostedKindRow;
  readonly #emit: Emit;
  readonly #include: ReadonlySet<string>;
  readonly #place: ItemPlace;
  /** What stays as it was announced: docs/spec/answers.md#announced-items. */
  readonly #announced: JsonObject;
  #members: JsonObject;
  #halfway = false;
  #text = '';
  #textDone = false;
  #told = false;
  #failed = false;

  constructor(
    delta: HostedDelta,
    row: HostedKindRow,
    outputIndex: number,
    include: ReadonlySet<string>,
    emit: Emit,
  ) {
    this.block = delta.block;
    this.outputIndex = outputIndex;
    this.#row = row;
    this.#include = include;
    this.#emit = emit;
    this.#place = { item_id: delta.id ?? createId(row.prefix), output_index: outputIndex };
    this.#members = withoutNulls(delta.fields ?? {});
    this.#announced = this.#identity();
    const item = this.#item('in_progress', { ...this.#textOf(''), ...row.opening });
    emit({ type: 'response.output_item.added', output_index: outputIndex, item });
    this.#progress(row.progress?.opened);
  }

  get yields(): boolean {
    return this.ended || this.#told;
  }

  takes(delta: Delta): boolean {
    return taken.has(delta.kind);
  }

  write(delta: Delta): void {
    if (delta.kind === 'stage') this.#reach(delta.stage);
    else if (delta.kind === 'fragment') this.#append(delta.text);
    else if (delta.kind === 'partial_image') this.#showPartial(delta.index, delta.image);
    else if (delta.kind === 'result') {
      this.#members = { ...this.#members, ...withoutNulls(delta.fields) };
      this.#failed ||= delta.failed === true;
      this.#told = true;
    }
  }

  close(status: ClosedStatus): OutputHostedItem {
    const cut = status === 'incomplete' && !this.#told;
    const { progress } = this.#row;
    this.#closeText();
    if (this.#failed || cut) this.#progress(progress?.failed);
    else {
      if (!this.#halfway) this.#progress(progress?.halfway?.type);
      this.#progress(progress?.completed);
    }
    const item = this.#finished(this.#failed || cut ? this.#brokenStatus() : 'completed');
    this.#emit({ type: 'response.output_item.done', output_index: this.outputIndex, item });
    return item;
  }

  abandon(): OutputHostedItem {
    return this.#finished(this.#brokenStatus());
  }

  #brokenStatus(): HostedStatus {
    const { cutStatus } = this.#row;
    // An item with its result is complete. A kind that cannot fail is complete even if its result reports a failure.
    if (this.#told && !(this.#failed && cutStatus === 'failed')) return 'completed';
    return cutStatus ?? 'completed';
  }

  #reach(stage: Stage): void {
    const halfway = this.#row.progress?.halfway;
    if (this.#halfway || halfway?.stage !== stage) return;
    this.#closeText();
    // Code runs only after it is written. Where the code arrives at the end, this event is sent at the end too.
    if (this.#row.text !== undefined && !this.#textDone) return;
    this.#halfway = true;
    this.#progress(halfway.type);
  }

  #append(text: string): void {
    const row = this.#row.text;
    if (row === undefined || text === '' || this.#textDone || !row.wanted(this.#members, text)) return;
    this.#text += text;
    this.#emit({ type: `${row.stem}.delta`, ...this.#place, delta: text });
  }

  /** Says what the pieces left out of the text, then that it is whole. */
  #closeText(): void {
    const row = this.#row.text;
    if (row === undefined || this.#textDone) return;
    const whole = row.read(this.#members);
    if (typeof whole === 'string' && whole.startsWith(this.#text))
      this.#append(whole.slice(this.#text.length));
    if (!row.wanted(this.#members, this.#text)) return;
    this.#textDone = true;
    this.#emit({
      type: `${row.stem}.done`,
      ...this.#place,
      [row.member]: this.#text,
    } as HostedEventBody);
  }

  #showPartial(index: number, image: string): void {
    const { progress } = this.#row;
    if (progress?.halfway?.stage !== 'generating') return;
    this.#reach('generating');
    this.#emit({
      type: 'response.image_generation_call.partial_image',
      ...this.#place,
      partial_image_b64: image,
      partial_image_index: index,
    });
  }

  #progress(type: HostedProgressType | undefined): void {
    if (type !== undefined) this.#emit({ type, ...this.#place });
  }

  #identity(): JsonObject {
    const { call_id, name, server_label } = this.#members;
    const named = withoutNulls({ name: name || undefined, server_label: server_label || undefined });
    if (!this.#row.hasCallId) return named;
    return { ...named, call_id: typeof call_id === 'string' && call_id ? call_id : createId('call_') };
  }

  #textOf(text: string): JsonObject {
    const row = this.#row.text;
    return row?.wanted(this.#members, text) ? row.write(this.#members, text) : {};
  }

  #finished(status: HostedStatus): OutputHostedItem {
    return this.#item(status, this.#textOf(this.#text));
  }

  #item(status: HostedStatus, members: JsonObject): OutputHostedItem {
    const { type, cutStatus, shape } = this.#row;
    const whole = { ...this.#members, ...members, ...this.#announced };
    const shaped = shape === undefined ? whole : shape(whole, this.#include);
    const base = { type, id: this.#place.item_id, ...(cutStatus !== undefined && { status }) };
    // Told first, as on every item, and not to be overruled.
    return { ...base, ...shaped, ...base } as OutputHostedItem;
  }
}
