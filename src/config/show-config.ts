import type { Provider } from '../core/catalogue.ts';
import type { Limits } from '../core/limits.ts';
import { formatUsd } from '../core/money.ts';
import { formatDuration } from '../schema/units.ts';
import type { Environment } from '../util/environment.ts';
import type { JsonObject } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import type { Config } from './config.ts';
import { showRouting } from './routing-settings.ts';
import { soundsSecret } from './sounds-secret.ts';

const hidden = '[secret]';
const shortestSecret = 8;

/**
 * The effective configuration as `headgate check` shows it: keys as in the file, no secret in it. Besides
 * what is known to be secret, any text that holds the value of a variable named like one is hidden, for
 * free-form parts may carry credentials nobody declared.
 */
export function showConfig(config: Config, environment: Environment): JsonObject {
  const { database, sharedState, bootstrap, byok } = config;
  const shown = {
    file: config.file ?? null,
    server: showServer(config),
    data_dir: config.dataDirectory,
    database: {
      url: hidePassword(database.url),
      auto_migrate: database.autoMigrate,
      pool_size: database.poolSize,
      retention_days: database.retentionDays ?? null,
    },
    shared_state: {
      url: sharedState.url === undefined ? null : hidePassword(sharedState.url),
      on_failure: sharedState.onFailure,
    },
    master_key: config.masterKey ?? null,
    log_level: config.logLevel,
    bootstrap: {
      management_key: bootstrap.managementKey ?? null,
      api_key: bootstrap.apiKey ?? null,
      billing_mode: bootstrap.billingMode,
    },
    providers: Object.fromEntries(
      [...config.catalogue.providers].map(([slug, one]) => [slug, showProvider(one)]),
    ),
    models: config.catalogue.models.size,
    limits: showLimits(config.limits),
    location: {
      region: config.location.region ?? null,
      country: config.location.country ?? null,
      data_regions: config.location.dataRegions ?? null,
    },
    routing: { ...showRouting(config.routing), benchmark_results: config.benchmarkResults.length },
    byok: {
      fee_rate: byok.feeRate,
      monthly_allowance_usd: formatUsd(byok.monthlyAllowance),
      enterprise_monthly_allowance_usd: formatUsd(byok.enterpriseMonthlyAllowance),
    },
    responses: { echo_defaults: config.responses.echoDefaults },
    compat: { aliases: config.aliases },
  };
  return conceal(shown, secretValues(environment)) as JsonObject;
}

function showServer({ server }: Config): JsonObject {
  return {
    host: server.host,
    port: server.port,
    body_limit: server.bodyLimit,
    bodies_limit: server.bodiesLimit,
    cors_origins: server.corsOrigins,
    trust_proxy: server.trustProxy,
    drain_timeout: formatDuration(server.drainTimeout),
    request_timeout: formatDuration(server.requestTimeout),
    header_timeout: formatDuration(server.headerTimeout),
    keep_alive: formatDuration(server.keepAlive),
    send_timeout: formatDuration(server.sendTimeout),
    connections_per_address: server.connectionsPerAddress ?? null,
    metrics_port: server.metricsPort ?? null,
    workers: server.workers,
  };
}

function showLimits({ inFlightBudget: budget, freeModels: free }: Limits): JsonObject {
  return {
    in_flight_budget: {
      enabled: budget.enabled,
      fraction: budget.fraction,
      ceiling_usd: formatUsd(budget.ceiling),
      threshold_usd: formatUsd(budget.threshold),
      output_tokens_cap: budget.outputTokensCap,
      settlement_window: formatDuration(budget.settlementWindow),
      lease: formatDuration(budget.lease),
      lease_renewal: formatDuration(budget.leaseRenewal),
      established_age_days: budget.establishedAgeDays,
      established_spend_usd: formatUsd(budget.establishedSpend),
    },
    free_models: {
      per_minute: free.perMinute,
      per_day: free.perDay,
      per_day_after_purchase: free.perDayAfterPurchase,
      purchase_threshold_usd: formatUsd(free.purchaseThreshold),
    },
  };
}

function showProvider(provider: Provider): JsonObject {
  const { timeouts, listing } = provider;
  const { firstTokenDelay, tokensPerSecond, ...quirks } = provider.quirks;
  return {
    name: provider.name,
    adapter: provider.adapter,
    base_url: provider.baseUrl ?? null,
    api_key: provider.apiKey ?? null,
    headers: Object.fromEntries(Object.keys(provider.headers).map((name) => [name, hidden])),
    ...(provider.adapter === 'sandbox' && {
      first_token_delay: formatDuration(Number(firstTokenDelay ?? 0)),
      tokens_per_second: Number(tokensPerSecond ?? 0) || null,
    }),
    quirks: hideNamed(provider.adapter === 'sandbox' ? quirks : provider.quirks),
    retains_prompts: provider.retainsPrompts,
    trains_on_prompts: provider.trainsOnPrompts,
    publishes_prompts: provider.publishesPrompts,
    privacy_policy_url: listing?.privacyPolicyUrl ?? null,
    terms_of_service_url: listing?.termsOfServiceUrl ?? null,
    status_page_url: listing?.statusPageUrl ?? null,
    headquarters: listing?.headquarters ?? null,
    datacenters: listing?.datacenters ?? null,
    refused_countries: provider.refusedCountries ?? null,
    timeouts: {
      connect: formatDuration(timeouts.connect),
      first_event: formatDuration(timeouts.firstEvent),
      total: formatDuration(timeouts.total),
      idle: formatDuration(timeouts.idle),
    },
  };
}

/** A connection address without what may be secret in it. */
function hidePassword(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  const address = URL.parse(url);
  if (address === null) return hidden;
  if (address.password !== '') address.password = '***';
  return `${address.protocol}//${address.username}${address.password && ':***'}${address.username || address.password ? '@' : ''}${address.host}${address.pathname}`;
}

/** Free-form data with the values of keys that sound like credentials hidden. */
function hideNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideNamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      soundsSecret(key) && typeof member === 'string' ? hidden : hideNamed(member),
    ]),
  );
}

function secretValues(environment: Environment): readonly string[] {
  const values = Object.entries(environment).map(([name, value]) => (soundsSecret(name) ? value : undefined));
  return values.filter((value) => value !== undefined).filter((value) => value.length >= shortestSecret);
}

function conceal(value: unknown, secrets: readonly string[]): unknown {
  if (value instanceof Secret) return hidden;
  if (typeof value === 'string') return secrets.some((secret) => value.includes(secret)) ? hidden : value;
  if (Array.isArray(value)) return value.map((member) => conceal(member, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, conceal(member, secrets)]));
}
