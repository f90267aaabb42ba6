import type { Delta } from '../core/delta.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { rewriteAgentMessages } from './agent-messages.ts';
import { rewriteBlocks } from './blocks-as-text.ts';
import { createCallFilter } from './call-filter.ts';
import { rewriteCustomTools } from './custom-as-functions.ts';
import { type Destination, Draft } from './draft.ts';
import type { FeaturesUsed } from './features-used.ts';
import { rewriteHostedTools } from './hosted-functions.ts';
import { asksForOtherTier, leaveOut, takesTools } from './leave-out.ts';
import { mergeItems } from './merge-items.ts';
import { moveMedia } from './move-media.ts';
import { flattenNamespaces } from './namespaces.ts';
import { adjustReasoning } from './reasoning.ts';
import { lacksContainer, rewriteUses } from './replayed-uses.ts';
import { mergeRoots, takesRoots } from './root-objects.ts';
import { isShortened, shorten } from './shorten.ts';
import { enforces, shapeText } from './structured-output.ts';
import { rewriteToolChoice } from './tool-choice.ts';
import { fitToolNames, takesToolNames } from './tool-names.ts';
import type { Restore, Restorer, Translation } from './translation.ts';
import { dropDangling, dropUnsealed, hasDangling, unsealReasoning } from './unseal-reasoning.ts';

/**
 * Adapts a request to one endpoint (docs/spec/items.md, docs/spec/tools.md, docs/spec/tools.md#service-tools): rewrites
 * or leaves out what the endpoint's dialect cannot express, and restores the answer. A request that needs no change is
 * returned as the same object.
 * @param used The result of `featuresUsed` for the request; the endpoint may refuse none of it.
 */
export function translate(
  request: CanonicalRequest,
  used: FeaturesUsed,
  destination: Destination,
): Translation {
  const draft = new Draft(request, used, destination);
  if (needsRewriting(draft)) rewrite(draft);
  noteAdapted(draft);
  const filter = createCallFilter(request);
  const restorers = [...draft.restorers.toReversed(), ...(filter === undefined ? [] : [filter])];
  return {
    request: draft.request,
    alterations: draft.alterations,
    ...(draft.entries.length > 0 && { entries: draft.entries }),
    restore: restorers.length === 0 ? undefined : chain(restorers),
  };
}

function needsRewriting(draft: Draft): boolean {
  const { request } = draft;
  if (isShortened(draft)) return true;
  if (!enforces(draft) || hasDangling(draft)) return true;
  if (!takesToolNames(request, draft.destination.support.toolNames)) return true;
  if (!takesRoots(request, draft.destination.support.rootObjects)) return true;
  const toolless = request.tools.length > 0 && !takesTools(draft);
  if (toolless || request.reasoning !== undefined || asksForOtherTier(draft)) return true;
  for (const feature of draft.used()) {
    // Two penalties share a feature, and an endpoint may support one of them.
    if (feature === 'sampling.penalties' || feature === 'item.reasoning.sealed') return true;
    if (!draft.reaches(feature)) return true;
    if (feature === 'item.hosted' && request.items.some(lacksContainer)) return true;
  }
  return false;
}

/** Later steps rewrite the results of earlier ones; answers pass them in reverse. */
function rewrite(draft: Draft): void {
  mergeItems(draft);
  rewriteAgentMessages(draft);
  rewriteBlocks(draft);
  leaveOut(draft);
  moveMedia(draft);
  unsealReasoning(draft);
  dropUnsealed(draft);
  dropDangling(draft);
  rewriteUses(draft, rewriteHostedTools(draft));
  rewriteCustomTools(draft);
  flattenNamespaces(draft);
  fitToolNames(draft);
  mergeRoots(draft);
  rewriteToolChoice(draft);
  shapeText(draft);
  adjustReasoning(draft);
  shorten(draft);
}

function noteAdapted(draft: Draft): void {
  for (const feature of draft.used()) {
    const support = draft.supportOf(feature);
    if (typeof support !== 'object' || !('adapted' in support)) continue;
    const { adapted, when } = support;
    if (when === undefined || when(draft.request, draft.destination)) draft.note(feature, 'adapted', adapted);
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
