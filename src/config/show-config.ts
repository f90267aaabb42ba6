import { providerSchema } from '../catalogue/catalogue-schema.ts';
import type { Provider } from '../core/catalogue.ts';
import type { WorkloadIssuer } from '../core/workloads.ts';
import { formatDuration } from '../schema/units.ts';
import { camelCase } from '../util/camel-case.ts';
import type { Environment } from '../util/environment.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { marksOf, type TSchema } from '../util/json-schema.ts';
import { Secret } from '../util/secret.ts';
import type { Config } from './config.ts';
import { looksLikeSecret } from './looks-like-secret.ts';
import { configSchema, type Settings } from './schema.ts';

const limitsSchema = providerSchema.properties?.limits ?? {};
const hidden = '[secret]';
const shortestSecret = 8;

/**
 * The effective configuration as `headgate check` shows it: keys as in the file, no secret in it. Besides
 * what is known to be secret, any text that holds the value of a variable named like one is hidden, for
 * free-form parts may carry credentials nobody declared.
 */
export function showConfig(config: Config, environment: Environment): JsonObject {
  const { database, sharedState } = config;
  const show = (section: keyof Settings, values: object) =>
    showSection(configSchema.properties?.[section] ?? {}, values as JsonObject);
  const { benchmark_scores: _file, ...routing } = show('routing', config.routing);
  const shown = {
    file: config.file ?? null,
    server: show('server', config.server),
    data_dir: config.dataDirectory,
    database: { ...show('database', database), url: showDatabase(database.url) },
    shared_state: {
      ...show('shared_state', sharedState),
      url: sharedState.url === undefined ? null : showDatabase(sharedState.url),
    },
    master_key: config.masterKey ?? null,
    log_level: config.logLevel,
    bootstrap: show('bootstrap', config.bootstrap),
    providers: Object.fromEntries(
      [...config.catalogue.providers].map(([slug, one]) => [slug, showProvider(one)]),
    ),
    models: config.catalogue.models.size,
    limits: show('limits', config.limits),
    location: show('location', config.location),
    routing: { ...routing, benchmark_results: config.benchmarkResults.length },
    byok: show('byok', config.byok),
    alerts: show('alerts', config.alerts),
    observability: show('observability', config.observability),
    content_logging: show('content_logging', config.contentLogging),
    telemetry: {
      ...show('telemetry', config.telemetry),
      headers: Object.fromEntries(Object.keys(config.telemetry.headers).map((name) => [name, hidden])),
    },
    auth: { workloads: config.auth.workloads.map(showIssuer) },
    responses: show('responses', config.responses),
    compat: show('compat', config.compat),
    presets: config.presets,
  };
  return conceal(shown, secretValues(environment)) as JsonObject;
}

/** A section with the keys and units of the file; null where nothing is set. */
function showSection({ properties = {} }: TSchema, values: JsonObject): JsonObject {
  const members = Object.entries(properties).map(([key, schema]) => {
    const value = values[camelCase(key)] ?? null;
    if (isObject(value) && schema.properties !== undefined) return [key, showSection(schema, value)];
    const { unit } = marksOf(schema);
    return [key, value === null || unit?.format === undefined ? value : unit.format(value)];
  });
  return Object.fromEntries(members);
}

function showIssuer(issuer: WorkloadIssuer): JsonObject {
  return {
    id: issuer.id,
    issuer: issuer.issuer,
    audiences: issuer.audiences,
    algorithms: issuer.algorithms,
    leeway: formatDuration(issuer.leeway),
    max_lifetime: formatDuration(issuer.maxLifetime),
    stale_keys: formatDuration(issuer.staleKeys),
    policies: issuer.policies.map(({ id, actsAs }) => ({ id, acts_as: actsAs.kind })),
  };
}

function showProvider(provider: Provider): JsonObject {
  const { timeouts, listing } = provider;
  const { firstTokenDelay, tokensPerSecond, ...quirks } = provider.quirks;
  return {
    name: provider.name,
    adapter: provider.adapter,
    base_url: provider.baseUrl ?? null,
    proxy: typeof provider.proxy === 'object' ? provider.proxy.origin : (provider.proxy ?? null),
    api_key: provider.apiKey ?? null,
    api_keys: provider.sharedKeys ?? null,
    discover: provider.discovers === true,
    propagate_trace: provider.propagatesTrace === true,
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
    limits: provider.limits === undefined ? null : showSection(limitsSchema, { ...provider.limits }),
    timeouts: {
      connect: formatDuration(timeouts.connect),
      first_event: formatDuration(timeouts.firstEvent),
      total: formatDuration(timeouts.total),
      idle: formatDuration(timeouts.idle),
    },
  };
}

/** The address of a database; hidden as a whole where its password cannot be found in it. */
function showDatabase(url: string): string {
  return url.startsWith('sqlite:') || URL.canParse(url) ? url : hidden;
}

/** An address without its password and without the values of its query, which some providers take credentials in. */
function hideInAddress(text: string): string {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (address === null || (address.search === '' && address.password === '')) return text;
  const names = [...address.searchParams.keys()];
  const query = names.map((name) => `${name}=***`).join('&');
  const password = address.password && ':***';
  const user = address.username || password ? `${address.username}${password}@` : '';
  return `${address.protocol}//${user}${address.host}${address.pathname}${query && `?${query}`}`;
}

/** Free-form data with the values of keys that sound like credentials hidden. */
function hideNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideNamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      looksLikeSecret(key) && typeof member === 'string' ? hidden : hideNamed(member),
    ]),
  );
}

function secretValues(environment: Environment): readonly string[] {
  const values = Object.entries(environment).map(([name, value]) =>
    looksLikeSecret(name) ? value : undefined,
  );
  return values.filter((value) => value !== undefined).filter((value) => value.length >= shortestSecret);
}

function conceal(value: unknown, secrets: readonly string[]): unknown {
  if (value instanceof Secret) return hidden;
  if (typeof value === 'string') {
    return secrets.some((secret) => value.includes(secret)) ? hidden : hideInAddress(value);
  }
  if (Array.isArray(value)) return value.map((member) => conceal(member, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, conceal(member, secrets)]));
}
