import { offeredTools } from '../core/client-tools.ts';
import { featureOfTool } from '../core/features.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { CanonicalRequest, HostedTool, Tool, ToolChoice } from '../core/request.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { isRefused } from '../translation/refusals.ts';
import type { Collected } from './collect.ts';
import { endpointSupport } from './endpoint-support.ts';
import type { ReducedRequest } from './route-plan.ts';

const reason = 'no endpoint of the model has this tool, and the gateway cannot run it';

/**
 * Leaves out the hosted tools that every endpoint refuses. Undefined where there is none, or the tool choice needs one of
 * them.
 * @param collected Every endpoint of the models that the request names; at least one.
 */
export function leaveOutTools(
  collected: readonly Collected[],
  canonical: CanonicalRequest,
  used: FeaturesUsed,
  upstreams: UpstreamRegistry,
): ReducedRequest | undefined {
  const hosted = offeredTools(canonical).filter((tool) => tool.kind === 'hosted');
  const kinds = new Set(
    hosted
      .map(({ tool }) => tool)
      .filter((kind) => collected.every((one) => isRefusedBy(one, kind, canonical, upstreams))),
  );
  if (kinds.size === 0) return undefined;
  const isKept = (tool: Tool) => tool.kind !== 'hosted' || !kinds.has(tool.tool);
  const reduced = {
    ...canonical,
    tools: canonical.tools.filter(isKept),
    items: canonical.items.map((item) =>
      item.kind === 'additional_tools' ? { ...item, tools: item.tools.filter(isKept) } : item,
    ),
  };
  if (needs(canonical.toolChoice, kinds, offeredTools(reduced))) return undefined;
  return {
    canonical: reduced,
    tools: [...new Set(hosted.filter(({ tool }) => kinds.has(tool)).map(({ type }: HostedTool) => type))],
    alterations: [...kinds].map((kind) => ({
      field: used.get(featureOfTool(kind)) ?? 'tools',
      action: 'dropped',
      how: reason,
    })),
  };
}

function isRefusedBy(
  { facts: { model, endpoint } }: Collected,
  kind: HostedKind,
  canonical: CanonicalRequest,
  upstreams: UpstreamRegistry,
): boolean {
  const support = endpointSupport(endpoint, upstreams);
  return support !== undefined && isRefused(featureOfTool(kind), canonical, { model, endpoint, support });
}

/** Whether a choice names one of these kinds, or demands a call where no other tool is left. */
function needs(choice: ToolChoice, kinds: ReadonlySet<HostedKind>, left: readonly Tool[]): boolean {
  if (choice.kind === 'hosted') return kinds.has(choice.tool);
  if (choice.kind === 'allowed') return choice.hosted?.some((kind) => kinds.has(kind)) === true;
  return choice.kind === 'required' && left.length === 0;
}
