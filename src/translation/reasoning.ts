import { nearestEffort, reasoningEffort } from '../core/reasoning-effort.ts';
import type { Item, ReasoningControl, ReasoningItem } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Leaves out reasoning controls that the endpoint does not support, and maps an effort to one that the model has.
 */
export function adjustReasoning(rewriter: RequestRewriter): void {
  const control = rewriter.request.reasoning;
  if (control === undefined) return;
  const kept = moveEffort(rewriter, budgetAsEffort(rewriter, withoutUnsupported(rewriter, control)));
  if (kept === control) return;
  const empty = Object.values(kept).every((value) => value === undefined);
  rewriter.change({ reasoning: empty ? undefined : kept });
}

function withoutUnsupported(rewriter: RequestRewriter, control: ReasoningControl): ReasoningControl {
  let kept = control;
  for (const [member, feature] of members) {
    if (control[member] === undefined) continue;
    const reason = rewriter.dropReasonOf(feature);
    if (reason === undefined) continue;
    kept = { ...kept, [member]: undefined };
    rewriter.note(feature, 'dropped', reason);
  }
  return kept;
}

const members = [
  ['effort', 'reasoning.effort'],
  ['maxTokens', 'reasoning.max_tokens'],
  ['summary', 'reasoning.summary'],
  ['context', 'reasoning.context'],
] as const;

/** A budget that the model does not accept still implies an effort (docs/spec/requests.md#reasoning). */
function budgetAsEffort(rewriter: RequestRewriter, control: ReasoningControl): ReasoningControl {
  const requested = rewriter.request.reasoning?.maxTokens;
  const lost = requested !== undefined && control.maxTokens === undefined;
  if (!lost || control.effort !== undefined || !rewriter.reaches('reasoning.effort')) return control;
  const { endpoint } = rewriter.destination;
  const limit = rewriter.request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const effort = reasoningEffort({ maxTokens: requested }, limit);
  rewriter.noteField('reasoning.max_tokens', 'adapted', `asked for as effort "${effort}"`);
  return { ...control, effort };
}

function moveEffort(rewriter: RequestRewriter, control: ReasoningControl): ReasoningControl {
  if (control.effort === undefined) return control;
  const { mandatory, supportedEfforts } = rewriter.destination.model.reasoning ?? {};
  const isStopped = control.effort === 'none';
  if (isStopped && mandatory !== true && rewriter.destination.support.stopsReasoning === true) return control;
  // A model that always reasons cannot stop, so it gets the lowest effort.
  const wanted = isStopped && mandatory === true ? 'minimal' : control.effort;
  const effort = nearestEffort(wanted, supportedEfforts);
  if (effort === control.effort) return control;
  rewriter.noteField('reasoning.effort', 'adapted', `"${effort}" is the nearest effort the model has`);
  return { ...control, effort };
}

/**
 * Removes seals that another provider made; those that state no maker are tried
 * (docs/spec/requests.md#sealed-reasoning).
 */
export function unsealReasoning(rewriter: RequestRewriter): void {
  const { seals } = rewriter.destination.support;
  if (seals === undefined || !rewriter.uses('item.reasoning.sealed')) return;
  const known: readonly (string | undefined)[] = [...seals, undefined];
  const isForeign = (item: ReasoningItem) => isSealed(item) && !known.includes(item.format);
  if (!rewriter.request.items.some((item) => item.kind === 'reasoning' && isForeign(item))) return;
  rewriter.mapItems((item) =>
    item.kind === 'reasoning' && isForeign(item) ? (withoutSeal(item) ?? []) : item,
  );
  const text = rewriter.reaches('item.reasoning.readable') ? '; readable text is told' : '';
  rewriter.note('item.reasoning.sealed', 'dropped', `only its maker can read it${text}`);
}

/** Leaves out thoughts that have no seal, or lost it, where the provider takes none without. */
export function dropUnsealed(rewriter: RequestRewriter): void {
  const isLeft = (item: Item) => item.kind === 'reasoning' && !isSealed(item);
  if (rewriter.reaches('item.reasoning.readable') || !rewriter.request.items.some(isLeft)) return;
  rewriter.change({ items: rewriter.request.items.filter((item) => !isLeft(item)) });
}

/**
 * Leaves out reasoning that nothing of the model follows, as of an answer that was cut off, where the provider refuses it
 * (docs/spec/requests.md#sealed-reasoning).
 */
export function dropDangling(rewriter: RequestRewriter): void {
  const { items } = rewriter.request;
  const dangling = danglingAt(rewriter);
  const [first] = dangling;
  if (first === undefined) return;
  rewriter.noteField(
    `input[${items[first]?.place ?? first}]`,
    'dropped',
    'nothing of the model follows this reasoning',
  );
  rewriter.change({ items: items.filter((_, at) => !dangling.has(at)) });
}

/** Whether there is reasoning that the provider refuses. */
export function hasDangling(rewriter: RequestRewriter): boolean {
  return danglingAt(rewriter).size > 0;
}

/** The places of reasoning without what it led to; several in a row led to the same. */
function danglingAt({ request: { items }, destination: { support } }: RequestRewriter): ReadonlySet<number> {
  if (support.pairsReasoning !== true || !items.some(({ kind }) => kind === 'reasoning')) return noPlaces;
  const places: number[] = [];
  let isFollowed = false;
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item?.kind !== 'reasoning') isFollowed = item !== undefined && isOfModel(item);
    else if (!isFollowed) places.push(at);
  }
  return new Set(places.toReversed());
}

const noPlaces: ReadonlySet<number> = new Set();

function isOfModel(item: Item): boolean {
  if (item.kind === 'message') return item.role === 'assistant';
  return item.kind !== 'call_output';
}

/** A passage without its seal; undefined when nothing readable is left. */
export function withoutSeal({
  encrypted,
  signature,
  format,
  ...item
}: ReasoningItem): ReasoningItem | undefined {
  if (encrypted === undefined && signature === undefined)
    return format === undefined ? item : { ...item, format };
  return item.content.length === 0 && item.summary.length === 0 ? undefined : item;
}

function isSealed({ encrypted, signature }: ReasoningItem): boolean {
  return encrypted !== undefined || signature !== undefined;
}
