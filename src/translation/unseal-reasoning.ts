import type { ReasoningItem } from '../core/request.ts';
import type { Draft } from './draft.ts';

/**
 * Removes seals that another provider made; those that state no maker are tried
 * (docs/spec/requests.md#sealed-reasoning).
 */
export function unsealReasoning(draft: Draft): void {
  const { seals } = draft.destination.support;
  if (seals === undefined || !draft.uses('item.reasoning.sealed')) return;
  const known: readonly (string | undefined)[] = [...seals, undefined];
  const isForeign = (item: ReasoningItem) => isSealed(item) && !known.includes(item.format);
  if (!draft.request.items.some((item) => item.kind === 'reasoning' && isForeign(item))) return;
  draft.mapItems((item) => (item.kind === 'reasoning' && isForeign(item) ? (withoutSeal(item) ?? []) : item));
  draft.note('item.reasoning.sealed', 'dropped', 'only its maker can read it; readable text is told');
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
