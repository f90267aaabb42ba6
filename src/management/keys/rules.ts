import type { AppliedGuardrail } from '../../core/guardrail.ts';
import type { RateLimit, RateRules } from '../../core/limits.ts';
import type { PluginDefaults } from '../../core/plugin-defaults.ts';
import { type FileGuardrail, GuardrailDirectory } from '../../guardrails/guardrail-directory.ts';
import type { KeyRates } from '../../ports/keys.ts';
import { ratesInEffect } from '../../settlement/request-rates.ts';
import type { Actor } from '../actor.ts';
import { limitsOf, type NearLimit, showNearLimit } from '../budgets/budgets.ts';
import type { Uses } from '../services.ts';
import { findKey, noSuchKey } from './keys.ts';

/** What the configuration sets for every key. */
export interface SetForAll {
  readonly file: readonly FileGuardrail[];
  readonly rates: RateRules;
}

/** All that limits or changes the requests of one key, each with where it comes from. */
export interface WhatApplies {
  readonly limits: readonly NearLimit[];
  readonly guardrails: readonly AppliedGuardrail[];
  /** Names of those in the configuration file. */
  readonly ofFile: ReadonlySet<string>;
  readonly rates: readonly (KeyRates & { readonly scope: 'key' | 'account' | 'service' })[];
  readonly workspace:
    | {
        readonly id: string;
        readonly name: string;
        readonly textModel: string | undefined;
        readonly providerSort: string | undefined;
        readonly disabledTools: readonly string[];
        readonly plugins: PluginDefaults;
      }
    | undefined;
  readonly account: { readonly zeroRetention: boolean; readonly plugins: PluginDefaults };
}

/** Reads what applies to a key as its next request would meet it. Refuses like `findKey`. */
export async function whatApplies(
  actor: Actor,
  hash: string,
  { file, rates }: SetForAll,
  services: Uses<'keys' | 'callers' | 'workspaces', 'clock'>,
): Promise<WhatApplies> {
  const { storage, clock } = services;
  const key = await findKey(actor, hash, services);
  const now = clock.now();
  const caller = await (await storage.callers.read([key.hash], now)).get(key.hash);
  // Deleted since it was found.
  if (caller === undefined) throw noSuchKey(actor, hash);
  const { account, defaults } = caller;
  const workspace =
    key.workspaceId === null ? undefined : await storage.workspaces.find(account.id, key.workspaceId);
  const names = new Map([
    [key.hash, key.name],
    [key.workspaceId ?? '', workspace?.name ?? ''],
  ]);
  return {
    limits: limitsOf(
      caller,
      storage.callers.calendar.windowsAt(now),
      (subject) => names.get(subject) ?? subject,
    ),
    guardrails: new GuardrailDirectory(() => file).of(caller)?.applied ?? [],
    ofFile: new Set(file.map(({ name }) => name)),
    rates: [
      { scope: 'key' as const, ...ratesInEffect(key, rates) },
      { scope: 'account' as const, ...orNull({ ...rates.account, ...account.rates }) },
      { scope: 'service' as const, ...orNull(rates.service) },
    ].filter(
      (one) => one.requestsPerMinute !== null || one.tokensPerMinute !== null || one.parallel !== null,
    ),
    workspace: workspace && {
      id: workspace.id,
      name: workspace.name,
      textModel: defaults?.textModel,
      providerSort: defaults?.providerSort,
      disabledTools: defaults?.disabledTools ?? [],
      plugins: defaults?.plugins ?? {},
    },
    account: { zeroRetention: account.zeroRetention, plugins: account.pluginDefaults ?? {} },
  };
}

/** The same as JSON. */
export function showWhatApplies(found: WhatApplies) {
  const { workspace, account } = found;
  return {
    limits: found.limits.map(showNearLimit),
    guardrails: found.guardrails.map((one) => showApplied(one, found.ofFile)),
    rates: found.rates.map(({ scope, requestsPerMinute, tokensPerMinute, parallel }) => ({
      scope,
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      parallel,
    })),
    workspace:
      workspace === undefined
        ? null
        : {
            id: workspace.id,
            name: workspace.name,
            default_text_model: workspace.textModel ?? null,
            default_provider_sort: workspace.providerSort ?? null,
            disabled_server_tools: workspace.disabledTools,
            plugins: showPlugins(workspace.plugins),
          },
    account: { zero_retention: account.zeroRetention, plugins: showPlugins(account.plugins) },
  };
}

function showApplied({ id, name, scope, rules }: AppliedGuardrail, ofFile: ReadonlySet<string>) {
  const practices = {
    paid_training: rules.enablePaidModelTraining,
    free_training: rules.enableFreeModelTraining,
    free_publication: rules.enableFreeModelPublication,
  };
  const namesOf = (holder: Readonly<Record<string, boolean | null>>, value: boolean) =>
    Object.keys(holder).filter((one) => holder[one] === value);
  return {
    id,
    name,
    scope,
    mode: rules.mode,
    source: ofFile.has(id) ? ('file' as const) : ('stored' as const),
    allowed_models: rules.allowedModels,
    ignored_models: rules.ignoredModels,
    allowed_providers: rules.allowedProviders,
    ignored_providers: rules.ignoredProviders,
    zero_retention: namesOf(rules.zeroRetention, true),
    forbidden_practices: namesOf(practices, false),
    filters: [
      ...(rules.contentFilterBuiltins ?? []).map(({ slug, action }) => ({ name: slug, action })),
      ...(rules.contentFilters ?? []).map(({ pattern, label, action }) => ({
        name: label ?? pattern,
        action,
      })),
    ],
  };
}

function showPlugins(plugins: PluginDefaults) {
  return Object.entries(plugins).map(([id, one]) => ({ id, enforced: one?.enforced === true }));
}

function orNull({ requestsPerMinute, tokensPerMinute, parallel }: RateLimit): KeyRates {
  return {
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
    parallel: parallel ?? null,
  };
}
