import type { JsonObject } from '../util/json.ts';
import { HeadgateError } from './errors.ts';
import type { InferenceRequest } from './inference-request.ts';
import type { ServiceTool } from './tool.ts';

/** The named panels of models that fusion asks. */
export const fusionPresets = ['general-high', 'general-budget', 'general-fast'] as const;

/** The name of a panel. */
export type FusionPreset = (typeof fusionPresets)[number];

/** The panel of a request that names none. */
export const usualPreset: FusionPreset = 'general-high';

/** Models that are asked side by side, and the one that compares what they say. */
export interface FusionPanel {
  readonly models: readonly string[];
  /** Undefined for the model that answers the request. */
  readonly analyst?: string;
}

/** The panels of an installation. */
export type FusionPanels = Readonly<Partial<Record<FusionPreset, FusionPanel>>>;

/** What a request asks of fusion, with its panel in place of the name of one. */
export interface ChosenPanel extends FusionPanel {
  readonly preset: FusionPreset;
  /** Whether the request itself names the models. */
  readonly isExplicit: boolean;
}

const type = 'service:fusion';

/**
 * The panel that settings choose: models and analyst that they name, else those of the preset (docs/spec/server-tools.md#fusion).
 * @param settings `preset`, `analysis_models` and `model` of the plugin or the tool, checked.
 * @throws HeadgateError `invalid_request` for a preset that this installation has no panel for.
 */
export function chosenPanel(settings: JsonObject, panels: FusionPanels): ChosenPanel {
  const preset = fusionPresets.find((one) => one === settings.preset) ?? usualPreset;
  const panel = panels[preset];
  const named = textsOf(settings.analysis_models);
  const models = named ?? panel?.models;
  if (models === undefined) throw noPanel(preset, 'has no models');
  const analyst = typeof settings.model === 'string' ? settings.model : panel?.analyst;
  return { preset, models, isExplicit: named !== undefined, ...(analyst !== undefined && { analyst }) };
}

/** A 400 for a panel that cannot be asked. */
export function noPanel(preset: FusionPreset, why: string): HeadgateError {
  const message = `fusion: the panel "${preset}" ${why}; see tools.fusion.panels.${preset} in the configuration`;
  return new HeadgateError('invalid_request', message);
}

/**
 * A request that is offered fusion with these settings, unless its plugin `fusion` is switched off. Settings that the request
 * gives its own entry of the tool win, field by field.
 */
export function withFusion(request: InferenceRequest, settings: JsonObject): InferenceRequest {
  if (request.plugins?.some(({ id, enabled }) => id === 'fusion' && !enabled)) return request;
  const { serviceTools = [] } = request.canonical;
  const at = serviceTools.findIndex((tool) => tool.type === type);
  const own = serviceTools[at];
  const entry: ServiceTool = own
    ? { ...own, settings: { ...settings, ...own.settings } }
    : { kind: 'service', type, spelled: type, settings };
  const listed = own ? serviceTools.with(at, entry) : [...serviceTools, entry];
  return { ...request, canonical: { ...request.canonical, serviceTools: listed } };
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((entry) => typeof entry === 'string');
}
