import type { Delta } from '../core/delta.ts';
import type { CanonicalChat, CanonicalEmbedding, CanonicalRequest } from '../core/request.ts';
import { rewriteCustomTools } from './custom-as-functions.ts';
import { effectiveSupport } from './effective-support.ts';
import type { FeaturesUsed } from './features-used.ts';
import { fitToolNames, mergeRoots, takesRoots, takesToolNames } from './fit-tools.ts';
import { rewriteHostedTools } from './hosted-functions.ts';
import { asksForOtherTier, leaveOut, takesTools } from './leave-out.ts';
import { flattenNamespaces } from './namespaces.ts';
import { adjustReasoning, dropDangling, dropUnsealed, hasDangling, unsealReasoning } from './reasoning.ts';
import { lacksContainer, rewriteUses } from './replayed-uses.ts';
import { type Destination, RequestRewriter } from './request-rewriter.ts';
import { mergeItems, moveMedia, rewriteAgentMessages, rewriteBlocks } from './rewrite-items.ts';
import { isShortened, shorten } from './shorten.ts';
import { enforces, shapeText } from './structured-output.ts';
import { createCallFilter, rewriteToolChoice } from './tool-choice.ts';
import type { Alteration, Restore, Restorer, Translation } from './translation.ts';

/**
 * Adapts a request to one endpoint (docs/spec/items.md, docs/spec/tools.md, docs/spec/tools.md#service-tools): rewrites
 * or leaves out what the endpoint's dialect cannot express, and restores the answer. A request that needs no change is
 * returned as the same object.
 * @param used The result of `featuresUsed` for the request; the endpoint may refuse none of it.
 */
export function translate<Wanted extends CanonicalRequest>(
  request: Wanted,
  used: FeaturesUsed,
  destination: Destination,
): Translation<Wanted>;
export function translate(
  request: CanonicalRequest,
  used: FeaturesUsed,
  destination: Destination,
): Translation<CanonicalRequest> {
  return request.kind === 'chat'
    ? translateChat(request, used, destination)
    : translateEmbedding(request, used, destination);
}

function translateChat(request: CanonicalChat, used: FeaturesUsed, destination: Destination): Translation {
  const rewriter = new RequestRewriter(request, used, destination);
  if (needsRewriting(rewriter)) rewrite(rewriter);
  noteAdapted(rewriter);
  const filter = createCallFilter(request);
  const restorers = [...rewriter.restorers.toReversed(), ...(filter === undefined ? [] : [filter])];
  return {
    request: rewriter.request,
    alterations: rewriter.alterations,
    ...(rewriter.entries.length > 0 && { entries: rewriter.entries }),
    restore: restorers.length === 0 ? undefined : chain(restorers),
  };
}

/** Nothing of a request for vectors can be emulated: the endpoint takes a setting, or it is left out. */
function translateEmbedding(
  request: CanonicalEmbedding,
  used: FeaturesUsed,
  { support, endpoint }: Destination,
): Translation<CanonicalEmbedding> {
  let fitted = request;
  const alterations: Alteration[] = [];
  for (const [feature, field] of used) {
    const stated = effectiveSupport(feature, support, endpoint);
    if (typeof stated !== 'object') continue;
    if ('adapted' in stated) alterations.push({ field, action: 'adapted', how: stated.adapted });
    if (!('dropped' in stated)) continue;
    alterations.push({ field, action: 'dropped', how: stated.dropped });
    if (feature === 'embedding.input_type') fitted = { ...fitted, inputType: undefined };
    else if (feature === 'end_user') fitted = { ...fitted, endUser: undefined };
  }
  return { request: fitted, alterations };
}

function needsRewriting(rewriter: RequestRewriter): boolean {
  const { request } = rewriter;
  if (isShortened(rewriter)) return true;
  if (!enforces(rewriter) || hasDangling(rewriter)) return true;
  if (!takesToolNames(request, rewriter.destination.support.toolNames)) return true;
  if (!takesRoots(request, rewriter.destination.support.rootObjects)) return true;
  const toolless = request.tools.length > 0 && !takesTools(rewriter);
  if (toolless || request.reasoning !== undefined || asksForOtherTier(rewriter)) return true;
  for (const feature of rewriter.used()) {
    // Two penalties share a feature, and an endpoint may support one of them.
    if (feature === 'sampling.penalties' || feature === 'item.reasoning.sealed') return true;
    if (!rewriter.reaches(feature)) return true;
    if (feature === 'item.hosted' && request.items.some(lacksContainer)) return true;
  }
  return false;
}

/** Later steps rewrite the results of earlier ones; answers pass them in reverse. */
function rewrite(rewriter: RequestRewriter): void {
  mergeItems(rewriter);
  rewriteAgentMessages(rewriter);
  rewriteBlocks(rewriter);
  leaveOut(rewriter);
  moveMedia(rewriter);
  unsealReasoning(rewriter);
  dropUnsealed(rewriter);
  dropDangling(rewriter);
  rewriteUses(rewriter, rewriteHostedTools(rewriter));
  rewriteCustomTools(rewriter);
  flattenNamespaces(rewriter);
  fitToolNames(rewriter);
  mergeRoots(rewriter);
  rewriteToolChoice(rewriter);
  shapeText(rewriter);
  adjustReasoning(rewriter);
  shorten(rewriter);
}

function noteAdapted(rewriter: RequestRewriter): void {
  for (const feature of rewriter.used()) {
    const support = rewriter.supportOf(feature);
    if (typeof support !== 'object' || !('adapted' in support)) continue;
    const { adapted, when } = support;
    if (when === undefined || when(rewriter.request, rewriter.destination))
      rewriter.note(feature, 'adapted', adapted);
  }
}

function chain(restorers: readonly Restorer[]): Restore {
  let restored: Delta[] = [];
  let emit = (delta: Delta): void => {
    restored.push(delta);
  };
  for (const restorer of restorers.toReversed()) {
    const next = emit;
    emit = (delta) => restorer(delta, next);
  }
  return (batch) => {
    restored = [];
    for (const delta of batch) emit(delta);
    return restored;
  };
}
