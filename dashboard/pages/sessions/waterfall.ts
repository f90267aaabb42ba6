import type { SessionAnswer } from '../../../clients/headgate-api.ts';

export type SessionRequest = SessionAnswer['data']['requests'][number];

/** One line of the waterfall: a request, a turn of it, or what the gateway did in it. */
export interface WaterfallNode {
  readonly key: string;
  readonly kind: 'request' | 'turn' | 'step';
  readonly label: string;
  /** The call that it leads to. */
  readonly call: string | undefined;
  /** Unix milliseconds; undefined where no time is known. */
  readonly time:
    | { readonly start: number; readonly firstToken: number | undefined; readonly end: number }
    | undefined;
  /** nano-USD, of everything below it too. */
  readonly cost: bigint;
  /** Both ways, of everything below it too. */
  readonly tokens: number;
  readonly outcome: SessionRequest['calls'][number]['outcome'] | undefined;
  /** Whether nothing would have ended earlier without it. */
  readonly isCritical: boolean;
}

/** Requests of several parts as one list, in the order of their begin; turns of one request come together. */
export function joinParts(parts: readonly (readonly SessionRequest[])[]): readonly SessionRequest[] {
  const byId = new Map<string, SessionRequest>();
  for (const request of parts.flat()) {
    const known = byId.get(request.id);
    if (known === undefined) byId.set(request.id, request);
    else {
      const calls = [...known.calls, ...request.calls].toSorted(
        (one, other) => startOf(one) - startOf(other),
      );
      byId.set(request.id, { ...known, calls, steps: [...known.steps, ...request.steps] });
    }
  }
  return [...byId.values()].toSorted((one, other) => begin(one) - begin(other));
}

/** The lines of a session. A request of one turn in which nothing else happened is one line. */
export function nodesOf(requests: readonly SessionRequest[]): readonly WaterfallNode[] {
  const chain = criticalOf(requests.map((request) => ({ ...timeOf(request.calls), item: request })));
  // Where one came after the other the mark would say nothing.
  const critical = chain.size === requests.length ? new Set() : chain;
  return requests.flatMap((request) => {
    const { calls, steps } = request;
    const [first] = calls;
    if (first === undefined) return [];
    const isCritical = critical.has(request);
    const sums = {
      cost: calls.reduce((sum, { cost_nano }) => sum + BigInt(cost_nano), 0n),
      tokens: tokensOf(calls),
    };
    const last = calls.at(-1) ?? first;
    const whole: WaterfallNode = {
      key: request.id,
      kind: 'request',
      label: last.model ?? last.requested_model,
      call: calls.length === 1 ? first.id : undefined,
      time: timeOf(calls),
      ...sums,
      outcome: last.outcome,
      isCritical,
    };
    if (calls.length === 1 && steps.length === 0) return [whole];
    const turns = calls.length === 1 ? [] : calls.map((call, index) => turnOf(call, index, isCritical));
    return [whole, ...turns, ...steps.map((step, index) => stepOf(step, `${request.id} ${index}`))];
  });
}

type SessionCall = SessionRequest['calls'][number];

function turnOf(call: SessionCall, index: number, isCritical: boolean): WaterfallNode {
  return {
    key: call.id,
    kind: 'turn',
    label: `Turn ${index + 1}: ${call.model ?? call.requested_model}`,
    call: call.id,
    time: timeOf([call]),
    cost: BigInt(call.cost_nano),
    tokens: tokensOf([call]),
    outcome: call.outcome,
    isCritical,
  };
}

function stepOf(step: SessionRequest['steps'][number], key: string): WaterfallNode {
  const { name, summary, type, cost_usd: cost } = step;
  const words = [name ?? type, summary].filter((one) => typeof one === 'string' && one !== '');
  return {
    key,
    kind: 'step',
    label: words.join(': '),
    call: undefined,
    time: undefined,
    // Whole nano-USD, as the record has them.
    cost: typeof cost === 'number' ? BigInt(Math.round(cost * 1e9)) : 0n,
    tokens: 0,
    outcome: undefined,
    isCritical: false,
  };
}

const startOf = ({ created_at: at }: SessionCall) => Date.parse(at);
const endOf = ({ settled_at: at }: SessionCall) => Date.parse(at);
const begin = ({ calls }: SessionRequest) => Math.min(...calls.map(startOf));
const tokensOf = (calls: readonly SessionCall[]) =>
  calls.reduce((sum, { input_tokens: asked, output_tokens: said }) => sum + (asked ?? 0) + (said ?? 0), 0);

function timeOf(calls: readonly SessionCall[]) {
  const start = Math.min(...calls.map(startOf));
  const wait = calls.length === 1 ? (calls[0]?.first_token_ms ?? undefined) : undefined;
  return {
    start,
    firstToken: wait === undefined ? undefined : start + wait,
    end: Math.max(start, ...calls.map(endOf)),
  };
}

/** The chain that ends last: before each comes the one that ended last before it began. */
function criticalOf<Item>(
  spans: readonly { readonly start: number; readonly end: number; readonly item: Item }[],
): ReadonlySet<Item> {
  const byEnd = spans.toSorted((one, other) => other.end - one.end);
  const found = new Set<Item>();
  let before = Infinity;
  for (const { start, end, item } of byEnd) {
    if (end > before) continue;
    found.add(item);
    before = start;
  }
  return found;
}

/** Where a moment is drawn, from 0 to 100. */
export interface TimeScale {
  readonly at: (time: number) => number;
  /** Pauses longer than this many milliseconds are drawn as if they were this long; undefined where none is. */
  readonly longestPause: number | undefined;
}

/** A scale on which pauses between requests do not take the room of what happened. */
export function scaleOf(nodes: readonly WaterfallNode[]): TimeScale {
  const spans = nodes.flatMap(({ time }) => time ?? []).toSorted((one, other) => one.start - other.start);
  const busy: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const last = busy.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else busy.push({ start, end });
  }
  const worked = busy.reduce((sum, { start, end }) => sum + end - start, 0);
  const longestPause = Math.max(1, worked / 10);
  const marks: { readonly time: number; readonly place: number }[] = [];
  let place = 0;
  let isShortened = false;
  for (const [index, { start, end }] of busy.entries()) {
    const before = busy[index - 1];
    if (before !== undefined) {
      const pause = start - before.end;
      isShortened ||= pause > longestPause;
      place += Math.min(pause, longestPause);
    }
    marks.push({ time: start, place });
    place += end - start;
    marks.push({ time: end, place });
  }
  const whole = Math.max(1, place);
  return {
    at: (time) => (100 * placeOf(time, marks)) / whole,
    longestPause: isShortened ? longestPause : undefined,
  };
}

/** Between two marks in proportion. */
function placeOf(time: number, marks: readonly { readonly time: number; readonly place: number }[]): number {
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((marks[middle]?.time ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  const [from, to] = [marks[low], marks[low + 1]];
  if (from === undefined) return 0;
  if (to === undefined || to.time === from.time) return from.place;
  const part = Math.max(0, (time - from.time) / (to.time - from.time));
  return from.place + part * (to.place - from.place);
}
