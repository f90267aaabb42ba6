import { featureOfTool } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CanonicalChat, HostedTool, ServiceTool, ToolChoice } from '../core/request.ts';
import { serviceFunctionName } from '../core/tool.ts';
import { endpointSupport } from '../routing/collect-endpoints.ts';
import type { ServerTool } from '../server-tools/server-tool.ts';
import { evaluateCaller } from './evaluate-request.ts';
import type { InferenceCall, Services } from './services.ts';

/**
 * Turns hosted tools that no endpoint of the request's models runs into tools of the gateway, where it has one of that purpose
 * (docs/spec/server-tools.md#hosted-tools). One whose engine is named runs here in any case.
 */
export function runHostedHere(
  call: InferenceCall,
  request: InferenceRequest,
  services: Services,
): InferenceRequest {
  const moved = services.tools.flatMap((tool) =>
    hostedFor(tool, request.canonical).flatMap((hosted) => {
      const isOurs =
        tool.replaces?.takes?.(hosted.settings) ??
        (namesEngine(hosted) || isRunNowhere(hosted, call, request, services));
      return isOurs ? [{ tool, hosted }] : [];
    }),
  );
  if (moved.length === 0) return request;
  return { ...request, canonical: moved.reduce(move, request.canonical) };
}

/** The entries of a request that a tool could run; of most kinds the first one counts. */
function hostedFor({ replaces }: ServerTool, { tools }: CanonicalChat): readonly HostedTool[] {
  const found = tools.flatMap((tool) =>
    tool.kind === 'hosted' && tool.tool === replaces?.kind ? [tool] : [],
  );
  if (replaces === undefined || found.length === 0 || !replaces.isReady()) return [];
  return replaces.repeats === true ? found : found.slice(0, 1);
}

function namesEngine({ settings: { engine } }: HostedTool): boolean {
  return engine !== undefined && engine !== 'auto' && engine !== 'native';
}

function isRunNowhere(
  { tool }: HostedTool,
  call: InferenceCall,
  request: InferenceRequest,
  services: Services,
): boolean {
  const endpoints = endpointsOf(call, request, services);
  return endpoints.every((endpoint) => {
    const support = endpointSupport(endpoint, services.upstreams);
    return support === undefined || support[featureOfTool(tool)] === 'refused';
  });
}

/** The endpoints of the request's models; none where they cannot be determined: the turn then reports the error. */
function endpointsOf(call: InferenceCall, request: InferenceRequest, services: Services) {
  try {
    const { candidates } = evaluateCaller({ ...call, request }, services);
    return candidates.flatMap(({ model }) => model.endpoints);
  } catch {
    return [];
  }
}

function move(
  canonical: CanonicalChat,
  { tool, hosted }: { readonly tool: ServerTool; readonly hosted: HostedTool },
): CanonicalChat {
  const entry: ServiceTool = {
    kind: 'service',
    type: tool.type,
    spelled: hosted.type,
    settings: hosted.settings,
    as: tool.replaces?.item,
  };
  return {
    ...canonical,
    tools: canonical.tools.filter((other) => other !== hosted),
    serviceTools: [...(canonical.serviceTools ?? []), entry],
    // A kind that repeats has a function for each thing an entry offers, and sees to the choice itself.
    toolChoice:
      tool.replaces?.repeats === true
        ? canonical.toolChoice
        : choiceOf(canonical.toolChoice, hosted, serviceFunctionName(tool.type)),
  };
}

function choiceOf(choice: ToolChoice, { tool }: HostedTool, name: string): ToolChoice {
  if (choice.kind === 'hosted' && choice.tool === tool) return { kind: 'tool', form: 'function', name };
  if (choice.kind !== 'allowed' || choice.hosted?.includes(tool) !== true) return choice;
  return { ...choice, names: [...choice.names, name], hosted: choice.hosted.filter((kind) => kind !== tool) };
}
