import { HeadgateError } from '../core/errors.ts';
import {
  mergePreset,
  type PresetCaching,
  type PresetDialect,
  type PresetSettings,
  presetCaching,
} from '../dialects/gateway/preset-settings.ts';
import type { ReceivedRequest } from '../http/request.ts';
import type { Caller } from '../settlement/caller.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { shownText } from '../util/shown-text.ts';
import type { PresetServices } from './inference-services.ts';

const presetPrefix = '@preset/';
const dialects: readonly PresetDialect[] = ['responses', 'chat', 'messages'];

/** The preset that a request names. */
export interface AppliedPreset extends PresetCaching {
  /** Of the version that was used. */
  readonly versionId: string;
  readonly slug: string;
  /** Undefined for one of the configuration file. */
  readonly id: string | undefined;
}

/** A request with the settings of the preset it names. */
export interface PresetRequest {
  readonly received: ReceivedRequest;
  /** Undefined where the request names none. */
  readonly preset: AppliedPreset | undefined;
}

/** Whether a body may name a preset, as few do. */
export function mayNamePreset(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { model, preset } = body;
  return (
    (typeof preset === 'string' && preset !== '') ||
    (typeof model === 'string' && model.includes(presetPrefix))
  );
}

/**
 * Puts the settings of the preset that a request names under those of its own (docs/spec/presets.md#naming).
 * @param dialectName Of the request; presets of dialects without any are left for their readers to refuse.
 * @throws HeadgateError `not_found` for a preset that is unknown or not active; `invalid_request` for two presets in one
 *   request.
 */
export async function applyPreset(
  received: ReceivedRequest,
  caller: Caller,
  dialectName: string,
  services: PresetServices,
): Promise<PresetRequest> {
  const { body } = received;
  const dialect = dialects.find((known) => known === dialectName);
  if (dialect === undefined || !isObject(body) || !mayNamePreset(body))
    return { received, preset: undefined };
  const { slug, rest } = nameIn(body);
  const found = await findActive(slug, caller, services);
  const merged = mergePreset(rest, found.settings, dialect);
  return {
    received: { ...received, body: merged },
    preset: { ...found.names, ...presetCaching(found.settings) },
  };
}

/** The slug of the preset, and the body without the reference to it. */
function nameIn(body: JsonObject): { readonly slug: string; readonly rest: JsonObject } {
  const { preset, ...rest } = body;
  const model = typeof rest.model === 'string' ? rest.model : '';
  const at = model.indexOf(presetPrefix);
  const ofModel = at < 0 ? undefined : model.slice(at + presetPrefix.length);
  const named = typeof preset === 'string' && preset !== '' ? withoutPrefix(preset) : undefined;
  if (named !== undefined && ofModel !== undefined && named.toLowerCase() !== ofModel.toLowerCase()) {
    throw new HeadgateError('invalid_request', 'preset: the model names another preset; name one');
  }
  const slug = named ?? ofModel ?? '';
  if (ofModel === undefined) return { slug, rest };
  const { model: _model, ...others } = rest;
  return { slug, rest: at === 0 ? others : { ...others, model: model.slice(0, at) } };
}

function withoutPrefix(slug: string): string {
  return slug.startsWith(presetPrefix) ? slug.slice(presetPrefix.length) : slug;
}

type PresetNames = Omit<AppliedPreset, keyof PresetCaching>;

/** A preset of the caller's workspace, else of the configuration file. */
async function findActive(
  slug: string,
  { account, key }: Caller,
  { storage, config }: PresetServices,
): Promise<{ readonly settings: PresetSettings; readonly names: PresetNames }> {
  const name = slug.toLowerCase();
  const { workspaceId } = key;
  const stored =
    workspaceId === null
      ? undefined
      : await storage.presets.find({ accountId: account.id, workspaceId }, name);
  if (stored !== undefined && stored.status !== 'active') {
    throw new HeadgateError('not_found', `The preset "${shownText(slug)}" is ${stored.status}.`);
  }
  if (stored !== undefined) {
    const { id, slug: known, designated } = stored;
    return { settings: designated, names: { id, slug: known, versionId: designated.id } };
  }
  const configured = Object.hasOwn(config.presets, name) ? config.presets[name] : undefined;
  if (configured === undefined) {
    throw new HeadgateError('not_found', `There is no preset "${shownText(slug)}".`);
  }
  const { config: settings, systemPrompt } = configured;
  return {
    settings: { config: settings, systemPrompt: systemPrompt ?? null },
    names: { id: undefined, slug: name, versionId: `file:${JSON.stringify(configured)}` },
  };
}
