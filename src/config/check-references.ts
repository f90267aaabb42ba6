import { builtInAddress, ollamaAddress } from '../catalogue/build-providers.ts';
import type { EndpointSettings, ModelSettings, ProviderSettings } from '../catalogue/catalogue-schema.ts';
import { findCredential } from '../catalogue/find-credential.ts';
import type { ProviderRow } from '../catalogue/provider-row.ts';
import { findProviderRow, providerRows } from '../catalogue/provider-rows.ts';
import { sandboxModelNames } from '../catalogue/sandbox-models.ts';
import { adapterNames, addressedByCredential, discoverable } from '../catalogue/vocabulary.ts';
import { longestKey } from '../core/api-key.ts';
import { chatQuirksSchema } from '../core/chat-quirks.ts';
import { compileFaultFinder } from '../schema/checker.ts';
import { describeAllowed } from '../schema/describe-allowed.ts';
import { units } from '../schema/units.ts';
import { environmentValue } from '../util/environment.ts';
import type { TSchema } from '../util/json-schema.ts';
import { checkAlerts } from './alert-settings.ts';
import { checkAuth } from './auth-settings.ts';
import { checkSendable, isSendableKey, isStructured, unsendableKey } from './check-sendable.ts';
import { checkLeases, checkResetZone, checkServer } from './check-server.ts';
import { checkGuardrails } from './guardrail-settings.ts';
import { remedyFor } from './nearest.ts';
import { checkPlugins } from './plugin-settings.ts';
import type { Reading } from './reading.ts';
import { checkRouting } from './routing-settings.ts';
import type { Settings } from './schema.ts';
import { checkDestinationHosts, checkTools } from './tool-settings.ts';

const shortestBootstrapKey = 32;

/**
 * Checks what a single value cannot tell: names that must exist elsewhere, once, or together with others.
 * Parts that could not be read are missing from `settings` and passed over: they were reported already.
 */
export function checkReferences(settings: Partial<Settings>, reading: Reading): void {
  const { providers = {}, models = [], catalog = 'builtin' } = settings;
  for (const [slug, provider] of Object.entries(providers)) {
    if (provider !== undefined) checkProvider(slug, provider, reading);
  }
  checkSendable(providers, reading);
  checkEnvironment(providers, reading);
  checkModels({ providers, models, catalog }, reading);
  checkSlugs(models, reading);
  if (settings.bootstrap !== undefined) checkBootstrapKeys(settings.bootstrap, reading);
  checkServer(settings, reading);
  checkLeases(settings.limits, reading);
  checkResetZone(settings.limits, reading);
  checkRouting(settings.routing, reading);
  checkGuardrails(settings.guardrails, reading);
  checkPlugins(settings.plugins, reading);
  checkTools(settings.tools, reading);
  checkDestinationHosts(settings.observability?.destinations?.private_hosts, reading);
  checkAlerts(settings.alerts, reading);
  checkAuth(settings.auth, reading);
  for (const [index, alias] of (settings.compat?.aliases ?? []).entries()) {
    if (alias !== 'service') continue;
    reading.problem(`compat.aliases[${index}]`, {
      problem: '"service" is the prefix itself',
      allowed: 'another word',
      remedy: 'remove it',
    });
  }
}

function checkProvider(slug: string, provider: ProviderSettings, reading: Reading): void {
  const path = `providers.${slug}`;
  const row = findProviderRow(slug);
  const adapter = provider.adapter ?? row?.adapter;
  if (adapter === undefined) {
    if (reading.hasProblemAt(`${path}.adapter`)) return;
    reading.problem(path, {
      problem: `adapter is missing and "${slug}" is no built-in provider`,
      allowed: adapterNames.join(', '),
      remedy: remedyFor(
        slug,
        providerRows.map((built) => built.slug),
        'add adapter and base_url',
      ),
    });
    return;
  }
  checkQuirks(path, adapter, provider.quirks, reading);
  if (provider.api_key !== undefined && provider.api_keys !== undefined) {
    reading.problem(`${path}.api_keys`, {
      problem: 'api_key is there too',
      allowed: 'one of both',
      remedy: 'move api_key into the list',
    });
  }
  if (provider.discover === true && !discoverable.has(adapter)) {
    reading.problem(`${path}.discover`, {
      problem: `models cannot be read from the list of an ${adapter} provider`,
      allowed: [...discoverable].join(', '),
      remedy: 'remove it, and name the models under models',
    });
  }
  if (adapter !== 'sandbox') {
    checkReachable(path, slug, adapter, provider, reading);
    refuseSandboxKeys(path, provider, reading);
  }
}

function checkReachable(
  path: string,
  slug: string,
  adapter: string,
  provider: ProviderSettings,
  reading: Reading,
): void {
  const row = findProviderRow(slug);
  const found = row && findCredential(row, reading.environment);
  const builtIn = row && builtInAddress(row, reading.environment);
  const hasAddress =
    provider.base_url !== undefined || builtIn !== undefined || addressedByCredential.has(adapter);
  if (!hasAddress && !reading.hasProblemAt(`${path}.base_url`)) {
    reading.problem(path, {
      problem: 'base_url is missing',
      allowed: 'an http:// or https:// address',
      remedy: 'add base_url',
    });
  }
  if (row?.variable === undefined || row.variableIsAddress === true) return;
  if (provider.api_key !== undefined || provider.api_keys !== undefined) return;
  if (provider.base_url !== undefined) {
    if (found !== undefined)
      reading.warn(path, `${row.variable} is not sent to another base_url; add api_key if it needs one`);
  } else if (found === undefined && provider.enabled) {
    reading.warn(path, `no credential: set ${row.variable} or add api_key`);
  }
}

function refuseSandboxKeys(path: string, provider: ProviderSettings, reading: Reading): void {
  for (const key of ['first_token_delay', 'tokens_per_second', 'price'] as const) {
    if (provider[key] === undefined) continue;
    reading.problem(`${path}.${key}`, {
      problem: 'only a provider with adapter sandbox has this key',
      allowed: 'nothing here',
      remedy: key === 'price' ? 'state prices at models[].endpoints[].price' : 'remove it',
    });
  }
}

function checkModels(
  { models, providers, catalog }: Pick<Settings, 'models' | 'providers' | 'catalog'>,
  reading: Reading,
): void {
  const own = Object.keys(providers);
  const known = [...new Set([...own, ...providerRows.map(({ slug }) => slug)])];
  const lines = new Map<string, string>();
  for (const [index, model] of models.entries()) {
    const path = `models[${index}]`;
    if (model?.id === undefined) continue;
    const earlier = lines.get(model.id.toLowerCase());
    if (earlier !== undefined) {
      const { line } = reading.locate(`${earlier}.id`);
      reading.problem(`${path}.id`, {
        problem: `"${model.id}" stands here twice, first on line ${line}`,
        allowed: 'ids that differ in more than case',
        remedy: 'remove one of the two or rename it',
      });
    }
    lines.set(model.id.toLowerCase(), path);
    checkEndpoints(path, model, { own, known, catalog }, reading);
  }
}

interface NamedProviders {
  /** Slugs of the file's own entries. */
  readonly own: readonly string[];
  /** Those and the built-in ones. */
  readonly known: readonly string[];
  readonly catalog: Settings['catalog'];
}

function checkEndpoints(
  path: string,
  model: ModelSettings,
  { own, known, catalog }: NamedProviders,
  reading: Reading,
): void {
  const mayBeRetired = model.retired === true || model.expiration_date !== undefined;
  const isComplete =
    mayBeRetired || model.endpoints !== undefined || reading.hasProblemAt(`${path}.endpoints`);
  if (!isComplete && !mayBeBuiltIn(model.id, catalog)) {
    reading.problem(path, {
      problem: `endpoints is missing and "${model.id}" is no built-in model`,
      allowed: 'a list with at least one entry',
      remedy: 'add endpoints',
    });
  }
  for (const [index, endpoint] of (model.endpoints ?? []).entries()) {
    warnUnpriced(`${path}.endpoints[${index}]`, endpoint, reading);
    if (model.id.endsWith(':free')) checkFree(`${path}.endpoints[${index}].price`, endpoint?.price, reading);
    if (endpoint?.provider === undefined || known.includes(endpoint.provider)) continue;
    reading.problem(`${path}.endpoints[${index}].provider`, {
      problem: `"${endpoint.provider}" is no provider`,
      allowed: [...own, 'any built-in provider (docs/providers.md)'].join(', '),
      remedy: remedyFor(endpoint.provider, known, 'add it to providers'),
    });
  }
}

/** Nobody should give away for want of a line what they meant to charge for. */
function warnUnpriced(path: string, endpoint: EndpointSettings | undefined, reading: Reading): void {
  if (endpoint === undefined || endpoint.price !== undefined || endpoint.status !== undefined) return;
  if (reading.hasProblemAt(`${path}.price`)) return;
  reading.warn(
    path,
    'it has no price: prepaid accounts and keys with a limit are refused, others are charged nothing; ' +
      'where it costs nothing say price: { input: 0, output: 0 }',
  );
}

/**
 * Free variants are let in without credits (docs/spec/money.md#free-variants), so that nothing of theirs may be
 * charged.
 */
function checkFree(path: string, price: EndpointSettings['price'], reading: Reading): void {
  const stated = [price ?? {}, ...(price?.overrides ?? [])].flatMap((prices) => Object.entries(prices));
  if (stated.every(([name, amount]) => name === 'web_search' || typeof amount !== 'bigint' || amount === 0n))
    return;
  reading.problem(path, {
    problem: 'an id that ends in :free is of a model that costs nothing',
    allowed: '0 throughout, but for web_search',
    remedy: 'state no other price or give the model another id',
  });
}

/** Which models are built in depends on credentials. Here only the author part of an id can rule a model out. */
function mayBeBuiltIn(id: string, catalog: Settings['catalog']): boolean {
  if (sandboxModelNames.includes(id)) return true;
  return catalog === 'builtin' && !id.startsWith('sandbox/');
}

function checkBootstrapKeys(bootstrap: Settings['bootstrap'], reading: Reading): void {
  for (const key of ['management_key', 'api_key'] as const) {
    const secret = bootstrap[key]?.reveal();
    const problem = secret === undefined ? undefined : problemOfKey(secret);
    if (problem === undefined) continue;
    const remedy = 'use another random one, or leave it out to have one generated';
    reading.problem(`bootstrap.${key}`, { ...problem, remedy });
  }
  if (bootstrap.api_key === undefined || bootstrap.api_key.reveal() !== bootstrap.management_key?.reveal())
    return;
  reading.problem('bootstrap.api_key', {
    problem: 'the key is the management key too',
    allowed: 'two different keys',
    remedy: 'change one of them',
  });
}

/** Why nobody should, or could, show a key in a header. */
function problemOfKey(key: string): { readonly problem: string; readonly allowed: string } | undefined {
  if (key.length < shortestBootstrapKey) {
    return {
      problem: 'the key is too short to be safe',
      allowed: `at least ${shortestBootstrapKey} characters`,
    };
  }
  if (key.length > longestKey)
    return { problem: 'the key is too long for a header', allowed: `at most ${longestKey} characters` };
  // What clients and servers make of anything else in a header differs.
  if (/^[!-~]+$/.test(key)) return undefined;
  return {
    problem: 'the key has characters that no header carries as they are',
    allowed: 'letters, digits and signs of ASCII, without spaces',
  };
}

/** Checks what models say of other slugs: former ids must stand for one model alone, and no model follows itself. */
function checkSlugs(models: readonly ModelSettings[], reading: Reading): void {
  const owners = new Map<string, string>();
  for (const model of models) if (model?.id !== undefined) owners.set(model.id.toLowerCase(), model.id);
  for (const [index, model] of models.entries()) {
    if (model?.id === undefined) continue;
    const path = `models[${index}]`;
    for (const [place, alias] of (model.aliases ?? []).entries()) {
      if (alias === undefined) continue;
      const owner = owners.get(alias.toLowerCase());
      owners.set(alias.toLowerCase(), model.id);
      if (owner === undefined) continue;
      reading.problem(`${path}.aliases[${place}]`, {
        problem: `"${alias}" stands for "${owner}" already`,
        allowed: 'former ids that no other model has',
        remedy: 'remove it in one of the two places',
      });
    }
    checkOthers(path, model, reading);
  }
}

function checkOthers(path: string, model: ModelSettings, reading: Reading): void {
  for (const key of ['successor', 'fast_sibling'] as const) {
    if (model[key]?.toLowerCase() !== model.id.toLowerCase()) continue;
    reading.problem(`${path}.${key}`, {
      problem: 'the model names itself',
      allowed: 'the id of another model',
      remedy: 'name another model or remove it',
    });
  }
  const date = model.expiration_date;
  if (date === undefined || !Number.isNaN(Date.parse(`${date}T00:00:00Z`))) return;
  reading.problem(`${path}.expiration_date`, {
    problem: `"${date}" is no day`,
    allowed: 'a day such as 2027-01-31',
    remedy: 'correct it',
  });
}

const quirkSchemas = chatQuirksSchema.properties ?? {};
const known = Object.keys(quirkSchemas);

/**
 * Checks the quirks of a provider that speaks chat completions: their names and values are one closed record. Other
 * dialects look at their own few.
 */
function checkQuirks(
  path: string,
  adapter: string,
  quirks: Readonly<Record<string, unknown>>,
  reading: Reading,
): void {
  if (adapter !== 'openai-chat') return;
  for (const [name, value] of Object.entries(quirks)) {
    const field = quirkSchemas[name];
    const inner = `${path}.quirks.${name}`;
    if (field === undefined) {
      reading.problem(inner, {
        problem: 'unknown key',
        allowed: known.join(', '),
        remedy: remedyFor(name, known, 'remove it'),
      });
    } else if (compileFaultFinder(field)?.(value) !== undefined) {
      reading.problem(inner, {
        problem: 'the value does not fit',
        allowed: describeValue(field),
        remedy: 'correct the value',
      });
    }
  }
}

function describeValue(field: TSchema): string {
  const words = field.items?.enum;
  return words === undefined ? describeAllowed(field) : `a list of ${words.join(', ')}`;
}

/** Notes what is wrong with variables that bring built-in providers into service, where nothing in the file replaces them. */
function checkEnvironment(providers: Settings['providers'], reading: Reading): void {
  for (const row of providerRows) {
    const own = providers[row.slug];
    if (own?.enabled === false || own?.api_key !== undefined || own?.base_url !== undefined) continue;
    if (row.variableIsAddress === true) checkOllamaHost(row, reading);
    else checkFound(row, reading);
  }
}

function checkOllamaHost({ slug, variable = '' }: ProviderRow, reading: Reading): void {
  const host = environmentValue(reading.environment, variable);
  if (host === undefined || ollamaAddress(host) !== undefined) return;
  noteVariable(reading, variable, `providers.${slug}.base_url`, {
    problem: 'the value is no address',
    allowed: 'a host, host:port or an http:// address',
    remedy: 'correct or unset it',
  });
}

function checkFound(row: ProviderRow, reading: Reading): void {
  const { slug, name, adapter, variable = '', variableIsFile, addressVariable } = row;
  const { environment, warnings } = reading;
  const key = findCredential(row, environment);
  if (key === undefined) {
    if (variableIsFile === true && environmentValue(environment, variable) !== undefined)
      warnings.push(
        `environment ${variable}: the file cannot be read or is empty: ${name} stays out of service`,
      );
    return;
  }
  // What a file holds is taken apart, and was never meant for a header.
  if (variableIsFile !== true && !isSendableKey(key, adapter))
    noteVariable(reading, variable, `providers.${slug}.api_key`, unsendableKey);
  if (addressVariable === undefined || isStructured(key, adapter)) return;
  const address = environmentValue(environment, addressVariable);
  if (address === undefined) {
    warnings.push(
      `environment ${variable}: a key alone needs ${addressVariable} too, or providers.${slug}.base_url`,
    );
  } else if (!isAddress(address)) {
    noteVariable(reading, addressVariable, `providers.${slug}.base_url`, {
      problem: 'the value is no address',
      allowed: units.httpUrl.allowed,
      remedy: 'correct or unset it',
    });
  }
}

function isAddress(text: string): boolean {
  try {
    units.httpUrl.read(text);
    return true;
  } catch {
    return false;
  }
}

function noteVariable(reading: Reading, variable: string, path: string, what: typeof unsendableKey): void {
  reading.problems.push({ position: { source: `environment ${variable}` }, path, ...what });
}
