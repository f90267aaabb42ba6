import type { FusionPanel } from '../../core/fusion.ts';
import type { CacheControl, CanonicalRequest, Item } from '../../core/request.ts';
import type { ServiceTool, ServiceType } from '../../core/tool.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { type InnerSettings, innerCanonical, readInnerSettings } from '../inner-request.ts';

/** What one request asks of fusion. */
export interface FusionSettings extends FusionPanel {
  readonly tools: readonly ServiceTool[];
  /** Calls of tools of each model. */
  readonly maxToolCalls: number;
  readonly inner: InnerSettings;
  readonly cacheControl?: CacheControl;
}

const usualToolCalls = 4;
const usualTokens = 16_000;

/**
 * Reads checked settings.
 * @param usualTools Type ids of the tools where the settings name none.
 */
export function readFusionSettings(
  settings: JsonObject,
  panel: FusionPanel,
  usualTools: readonly string[],
): FusionSettings {
  const { tools, max_tool_calls: calls, cache_control: cache } = settings;
  const { instructions: _none, ...inner } = readInnerSettings(settings);
  return {
    models: panel.models,
    ...(panel.analyst !== undefined && { analyst: panel.analyst }),
    tools: Array.isArray(tools) ? (tools as readonly ServiceTool[]) : usualTools.map(bareTool),
    maxToolCalls: typeof calls === 'number' ? calls : usualToolCalls,
    inner: { maxOutputTokens: usualTokens, ...inner },
    ...(isObject(cache) && { cacheControl: { ttl: cache.ttl === '1h' ? '1h' : '5m' } }),
  };
}

/** A request to a model of the panel or the analyst. */
export function fusionCanonical(
  items: readonly Item[],
  { tools, maxToolCalls, cacheControl }: FusionSettings,
  inner: InnerSettings,
): CanonicalRequest {
  return {
    ...innerCanonical(items, inner),
    ...(tools.length > 0 && { serviceTools: tools, maxToolCalls }),
    ...(cacheControl !== undefined && { cacheControl }),
  };
}

function bareTool(type: string): ServiceTool {
  return { kind: 'service', type: type as ServiceType, spelled: type, settings: {} };
}
