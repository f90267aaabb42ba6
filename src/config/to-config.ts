import { resolve } from 'node:path';
import type { BenchmarkResult } from '../core/benchmark-result.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { Limits } from '../core/limits.ts';
import type { ByokConfig, Config, LocationConfig, ServerConfig } from './config.ts';
import { readRouting } from './routing-settings.ts';
import type { Settings } from './schema.ts';

/** The frozen configuration of checked settings. */
export function toConfig(
  settings: Settings,
  place: {
    readonly file?: string;
    readonly directory: string;
    readonly catalogue: Catalogue;
    readonly benchmarkResults: readonly BenchmarkResult[];
  },
): Config {
  const { bootstrap, database, shared_state: sharedState } = settings;
  const dataDirectory = resolve(place.directory, settings.data_dir);
  return deepFreeze({
    file: place.file,
    dataDirectory,
    server: readServer(settings.server),
    database: {
      url: absoluteDatabase(
        database.url ?? `sqlite:${resolve(dataDirectory, 'headgate.db')}`,
        place.directory,
      ),
      autoMigrate: database.auto_migrate,
      poolSize: database.pool_size,
      ...(database.retention_days !== undefined && { retentionDays: database.retention_days }),
    },
    sharedState: { url: sharedState.url, onFailure: sharedState.on_failure },
    masterKey: settings.master_key,
    logLevel: settings.log_level,
    bootstrap: {
      managementKey: bootstrap.management_key,
      apiKey: bootstrap.api_key,
      billingMode: bootstrap.billing_mode,
    },
    responses: { echoDefaults: settings.responses.echo_defaults },
    aliases: settings.compat.aliases,
    catalogue: place.catalogue,
    location: readLocation(settings.location),
    routing: readRouting(settings.routing),
    benchmarkResults: place.benchmarkResults,
    limits: readLimits(settings.limits),
    byok: readByok(settings.byok),
    plugins: settings.plugins,
    guardrails: settings.guardrails,
    tools: settings.tools,
  });
}

function readServer(server: Settings['server']): ServerConfig {
  return {
    host: server.host,
    port: server.port,
    bodyLimit: server.body_limit,
    bodiesLimit: server.bodies_limit,
    corsOrigins: server.cors_origins,
    trustProxy: server.trust_proxy,
    drainTimeout: server.drain_timeout,
    requestTimeout: server.request_timeout,
    keepAlive: server.keep_alive,
    sendTimeout: server.send_timeout,
    metricsPort: server.metrics_port,
    workers: server.workers,
  };
}

function readLimits(limits: Settings['limits']): Limits {
  const { in_flight_budget: budget, free_models: free } = limits;
  return {
    answerBytes: limits.answer_bytes,
    inFlightBudget: {
      enabled: budget.enabled,
      fraction: budget.fraction,
      ceiling: budget.ceiling_usd,
      threshold: budget.threshold_usd,
      outputTokensCap: budget.output_tokens_cap,
      settlementWindow: budget.settlement_window,
      lease: budget.lease,
      leaseRenewal: budget.lease_renewal,
      establishedAgeDays: budget.established_age_days,
      establishedSpend: budget.established_spend_usd,
    },
    freeModels: {
      perMinute: free.per_minute,
      perDay: free.per_day,
      perDayAfterPurchase: free.per_day_after_purchase,
      purchaseThreshold: free.purchase_threshold_usd,
    },
  };
}

function readLocation({ region, country, data_regions: dataRegions }: Settings['location']): LocationConfig {
  return { region, country, dataRegions };
}

function readByok(byok: Settings['byok']): ByokConfig {
  return {
    feeRate: byok.fee_rate,
    monthlyAllowance: byok.monthly_allowance_usd,
    enterpriseMonthlyAllowance: byok.enterprise_monthly_allowance_usd,
  };
}

/** A SQLite file's name made independent of the working directory. */
function absoluteDatabase(url: string, directory: string): string {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(url)?.[1];
  return file === undefined ? url : `sqlite:${resolve(directory, file)}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
