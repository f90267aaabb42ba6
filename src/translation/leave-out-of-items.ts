import type { Feature } from '../core/features.ts';
import type { ContentPart, EncryptedPart, Item, MessageItem } from '../core/request.ts';
import { featureOfHostedItem, featureOfPart } from './features-used.ts';
import { withoutSeal } from './unseal-reasoning.ts';

type Dropped = ReadonlySet<Feature>;

/** An item without its dropped parts; undefined when nothing remains. */
export function leaveOutOfItem(item: Item, dropped: Dropped): Item | undefined {
  switch (item.kind) {
    case 'message':
      return withoutParts(item, dropped);
    case 'agent_message':
      return dropped.has('item.agent_message')
        ? undefined
        : { ...item, content: keptParts(item.content, dropped) };
    case 'call':
      return leavesCall(item, dropped) ? undefined : item;
    case 'call_output':
      return item.form === 'custom' && dropped.has('tool.custom')
        ? undefined
        : { ...item, output: keptOutput(item.output, dropped) };
    case 'reasoning':
      return dropped.has('item.reasoning.sealed') ? withoutSeal(item) : item;
    case 'hosted':
      return dropped.has(featureOfHostedItem(item.type)) ? undefined : item;
    default:
      return dropped.has(`item.${item.kind}`) ? undefined : item;
  }
}

function withoutParts(item: MessageItem, dropped: Dropped): MessageItem | undefined {
  const content = keptParts(item.content, dropped);
  if (content.length === 0 && item.content.length > 0) return undefined;
  return { ...item, content, phase: dropped.has('item.phase') ? undefined : item.phase };
}

function leavesCall(item: Extract<Item, { kind: 'call' }>, dropped: Dropped): boolean {
  if (item.form === 'custom' && dropped.has('tool.custom')) return true;
  return item.namespace !== undefined && dropped.has('tool.namespace');
}

function keptOutput(parts: readonly ContentPart[], dropped: Dropped): readonly ContentPart[] {
  const texts = dropped.has('input.tool_output.media');
  const kept = texts ? parts.filter((part) => part.kind === 'text' || part.kind === 'refusal') : parts;
  return keptParts(kept, dropped);
}

function keptParts<Part extends ContentPart | EncryptedPart>(
  parts: readonly Part[],
  dropped: Dropped,
): readonly Part[] {
  const kept = parts.filter((part) => {
    const feature = featureOfPart(part);
    return feature === undefined || !dropped.has(feature);
  });
  return dropped.has('cache_control') ? kept.map(withoutMark) : kept;
}

function withoutMark<Part extends ContentPart | EncryptedPart>(part: Part): Part {
  return 'cacheControl' in part ? { ...part, cacheControl: undefined } : part;
}
