import type { CallItem, CallOutputItem, ContentPart, Item } from '../core/request.ts';

/** The ids of calls that a dialect accepts, besides being unique in a conversation. */
export interface CallIdRule {
  /** Matches every refused character. */
  readonly refused: RegExp;
  readonly longest: number;
}

/** The rule of a dialect that takes any id, as long as no two calls share one. */
export const anyIds: CallIdRule = { refused: /(?!)/g, longest: Number.POSITIVE_INFINITY };

/** The placeholder for an output that has not come yet. */
export const stillRunning = 'The tool is still running.';

/**
 * Rearranges a conversation for dialects that want every call answered exactly once, in the next turn. Outputs of
 * parallel calls follow the last of these calls. Calls without an output in time get a placeholder, and a later
 * output becomes user text. Ids are adapted; as long as the beginning of a conversation is the same, so are its ids.
 */
export function pairToolCalls(items: readonly Item[], rule: CallIdRule): readonly Item[] {
  if (!items.some(({ kind }) => kind === 'call' || kind === 'call_output')) return items;
  const settler = new CallSettler(items, rule);
  for (const [place, item] of items.entries()) settler.add(item, place);
  return settler.finish();
}

interface OpenCall {
  readonly call: CallItem;
  /** The id that is sent. */
  readonly id: string;
}

class CallSettler {
  readonly #ids: CallIds;
  readonly #answered: AnswerPlaces;
  readonly #settled: Item[] = [];
  /** Calls of the turn without an output so far. */
  #open = new Calls();
  /** Calls that got the placeholder. */
  readonly #late = new Calls();
  /** Items of the other side that came while calls were open. */
  #after: Item[] = [];
  #interrupted = false;

  constructor(items: readonly Item[], rule: CallIdRule) {
    this.#ids = new CallIds(rule);
    this.#answered = new AnswerPlaces(items);
  }

  add(item: Item, place: number): void {
    if (item.kind === 'call_output') this.#answer(item);
    else if (item.kind === 'message' && item.role !== 'assistant') this.#hear(item);
    else {
      if (this.#after.length > 0 && !this.#goesOn(item, place)) this.#settle();
      this.#settled.push(item.kind === 'call' ? this.#begin(item) : item);
    }
  }

  finish(): readonly Item[] {
    this.#settle();
    return this.#settled;
  }

  #begin(call: CallItem): CallItem {
    const id = this.#ids.next(call.callId);
    this.#open.add({ call, id });
    return { ...call, callId: id };
  }

  #answer(item: CallOutputItem): void {
    const id = this.#open.take(item)?.id;
    if (id === undefined) {
      const late = this.#late.take(item)?.id ?? item.callId;
      const heading: ContentPart = { kind: 'text', text: `Output of tool call ${late}:` };
      this.#hear({ kind: 'message', role: 'user', content: [heading, ...item.output] });
    } else {
      this.#after.push({ ...item, callId: id });
      if (this.#open.size === 0) this.#settle();
    }
  }

  #hear(item: Item): void {
    this.#interrupted = this.#open.size > 0;
    if (this.#interrupted) this.#after.push(item);
    else this.#settled.push(item);
  }

  /**
   * Whether the model's turn continues after outputs: more of its calls are answered before the next message.
   */
  #goesOn(item: Item, place: number): boolean {
    if (item.kind === 'message' || this.#interrupted) return false;
    return this.#open.some(({ call }) => this.#answered.isAnsweredSoon(call, place));
  }

  #settle(): void {
    const output: readonly ContentPart[] = [{ kind: 'text', text: stillRunning }];
    for (const item of this.#after) this.#settled.push(item);
    for (const open of this.#open.all()) {
      this.#settled.push({ kind: 'call_output', form: open.call.form, callId: open.id, output });
      this.#late.add(open);
    }
    this.#open = new Calls();
    this.#after = [];
    this.#interrupted = false;
  }
}

/** Calls that wait for an output; of several with one id, the first gets it. */
export class Calls {
  readonly #all = new Set<OpenCall>();
  readonly #byKey = new Map<string, { readonly calls: OpenCall[]; taken: number }>();

  get size(): number {
    return this.#all.size;
  }

  all(): Iterable<OpenCall> {
    return this.#all;
  }

  some(test: (open: OpenCall) => boolean): boolean {
    for (const open of this.#all) if (test(open)) return true;
    return false;
  }

  add(open: OpenCall): void {
    const key = keyOf(open.call);
    const known = this.#byKey.get(key);
    this.#all.add(open);
    if (known === undefined) this.#byKey.set(key, { calls: [open], taken: 0 });
    else known.calls.push(open);
  }

  /** Removes and returns the call that an output answers. */
  take(output: CallOutputItem): OpenCall | undefined {
    const known = this.#byKey.get(keyOf(output));
    const open = known?.calls[known.taken];
    if (known === undefined || open === undefined) return undefined;
    known.taken += 1;
    this.#all.delete(open);
    return open;
  }
}

/** The positions of the outputs and messages of a conversation. */
class AnswerPlaces {
  readonly #places = new Map<string, number[]>();
  /** For each position, the next message from there on. */
  readonly #messages: Uint32Array;

  constructor(items: readonly Item[]) {
    this.#messages = new Uint32Array(items.length);
    let message = items.length;
    for (let place = items.length - 1; place >= 0; place--) {
      const item = items[place];
      if (item?.kind === 'message') message = place;
      this.#messages[place] = message;
      if (item?.kind !== 'call_output') continue;
      const known = this.#places.get(keyOf(item));
      if (known === undefined) this.#places.set(keyOf(item), [place]);
      else known.push(place);
    }
  }

  /**
   * Whether an output for a call comes after a position and before the next message. Positions must be queried in
   * ascending order.
   */
  isAnsweredSoon(call: CallItem, place: number): boolean {
    const places = this.#places.get(keyOf(call)) ?? [];
    while ((places.at(-1) ?? place) < place) places.pop();
    const next = places.at(-1);
    return next !== undefined && next < (this.#messages[place] ?? 0);
  }
}

/** Unique ids that fit a dialect's rule. */
export class CallIds {
  readonly #rule: CallIdRule;
  readonly #given = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  next(callId: string): string {
    const { refused, longest } = this.#rule;
    const fitting = callId.replace(refused, '_').slice(0, longest);
    let count = this.#counts.get(fitting) ?? 0;
    let id: string;
    do {
      count += 1;
      const ending = count === 1 ? '' : `_${count}`;
      id = `${fitting.slice(0, longest - ending.length)}${ending}`;
    } while (this.#given.has(id));
    this.#counts.set(fitting, count);
    this.#given.add(id);
    return id;
  }
}

/** What ties an output to its call. */
export function keyOf({ form, callId }: CallItem | CallOutputItem): string {
  return form + callId;
}
