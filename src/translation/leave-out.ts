import { type ClientTool, offeredTools } from '../core/client-tools.ts';
import { type Feature, featureOfTool } from '../core/features.ts';
import { samplers, takesParameter } from '../core/parameters.ts';
import type {
  CanonicalChat,
  ContentPart,
  EncryptedPart,
  Item,
  MessageItem,
  Sampling,
} from '../core/request.ts';
import { unsupported } from './effective-support.ts';
import { featureOfHostedItem, featureOfPart } from './features-used.ts';
import { withoutSeal } from './reasoning.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Leaves out what the endpoint's dialect cannot express and the answer does not need, and parameters that the
 * endpoint does not support (docs/spec/routing.md#parameters). Reasoning and the tool choice have rules of their own.
 */
export function leaveOut(rewriter: RequestRewriter): void {
  const dropped = new Set<Feature>();
  for (const feature of rewriter.used()) {
    const reason = rewriter.dropReasonOf(feature);
    if (reason === undefined || ownRules.test(feature)) continue;
    dropped.add(feature);
    rewriter.note(feature, 'dropped', reason);
  }
  leaveOutTools(rewriter, dropped);
  if (dropped.size > 0) {
    for (const feature of dropped) rewriter.change(settings[feature]?.(rewriter.request) ?? {});
    rewriter.mapItems((item) => leaveOutOfItem(item, dropped) ?? []);
  }
  leaveOutTier(rewriter);
  leaveOutSampling(rewriter);
}

const ownRules = /^(sampling\.|reasoning\.|tool_choice\.|tool\.function$)/;

/** Whether functions can be offered at the endpoint; without them no client tool can. */
export function takesTools(rewriter: RequestRewriter): boolean {
  return rewriter.reaches('tool.function');
}

const settings: Partial<Record<Feature, (request: CanonicalChat) => Partial<CanonicalChat>>> = {
  'text.verbosity': () => ({ verbosity: undefined }),
  'modalities.image': ({ outputModalities }) => ({
    outputModalities: outputModalities.filter((modality) => modality !== 'image'),
  }),
  prediction: () => ({ prediction: undefined }),
  image_config: () => ({ imageConfig: undefined }),
  service_tier: () => ({ serviceTier: undefined }),
  prompt_cache_key: () => ({ promptCacheKey: undefined }),
  cache_control: () => ({ cacheControl: undefined }),
  prompt_cache_options: () => ({ promptCacheOptions: undefined }),
  'truncation.auto': () => ({ truncation: 'disabled' }),
  prompt: () => ({ prompt: undefined }),
  extra: () => ({ extra: undefined }),
  end_user: () => ({ endUser: undefined }),
  parallel_tool_calls: () => ({ parallelToolCalls: undefined }),
};

function leaveOutTools(rewriter: RequestRewriter, dropped: ReadonlySet<Feature>): void {
  if (offeredTools(rewriter.request).length === 0) return;
  if (!takesTools(rewriter)) {
    rewriter.noteField('tools', 'dropped', unsupported);
    rewriter.change({ toolChoice: { kind: 'auto' }, parallelToolCalls: undefined });
    rewriter.mapTools(() => []);
    return;
  }
  if (![...dropped].some((feature) => feature.startsWith('tool.'))) return;
  rewriter.mapTools((tool) => {
    if (tool.kind === 'hosted') return dropped.has(featureOfTool(tool.tool)) ? [] : tool;
    if (tool.kind === 'namespace') {
      if (dropped.has('tool.namespace')) return [];
      return { ...tool, tools: tool.tools.flatMap((member) => withoutFlags(member, dropped)) };
    }
    return withoutFlags(tool, dropped);
  });
}

function withoutFlags(tool: ClientTool['tool'], dropped: ReadonlySet<Feature>): ClientTool['tool'] | [] {
  const async = dropped.has('tool.function.async') ? undefined : tool.async;
  if (tool.kind === 'custom') {
    if (dropped.has('tool.custom')) return [];
    return { ...tool, async, grammar: dropped.has('tool.custom.grammar') ? undefined : tool.grammar };
  }
  return { ...tool, async, strict: dropped.has('tool.function.strict') ? undefined : tool.strict };
}

/**
 * A tier with another price is requested only at its own endpoint, because any other endpoint is priced and was
 * chosen for its own tier (docs/spec/routing.md#service-tiers).
 */
function leaveOutTier(rewriter: RequestRewriter): void {
  if (!asksForOtherTier(rewriter)) return;
  rewriter.change({ serviceTier: undefined });
  rewriter.noteField('service_tier', 'dropped', `served by the ${rewriter.destination.endpoint.tier} tier`);
}

/** Whether a request asks for a tier that is sold at another endpoint. */
export function asksForOtherTier({
  request: { serviceTier },
  destination: { endpoint },
}: RequestRewriter): boolean {
  return (serviceTier === 'flex' || serviceTier === 'priority') && serviceTier !== endpoint.tier;
}

function leaveOutSampling(rewriter: RequestRewriter): void {
  const { sampling } = rewriter.request;
  let kept: Sampling = sampling;
  for (const { member, feature, name } of samplers) {
    if (sampling[member] === undefined) continue;
    const isSupported = takesParameter(rewriter.destination.endpoint, name);
    const reason = rewriter.dropReasonOf(feature) ?? (isSupported ? undefined : unsupported);
    if (reason === undefined) continue;
    kept = { ...kept, [member]: undefined };
    rewriter.noteField(name, 'dropped', reason);
  }
  if (kept !== sampling) rewriter.change({ sampling: kept });
}

type Dropped = ReadonlySet<Feature>;

/** An item without its dropped parts; undefined when nothing remains. */
function leaveOutOfItem(item: Item, dropped: Dropped): Item | undefined {
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
