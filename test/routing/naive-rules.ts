import type { Endpoint, Model, Price } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { priceInEffect } from '../../src/core/price-in-effect.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';

/** Why a naive plan has no target. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** A model asked for. */
export interface NaiveCandidate {
  readonly model: Model;
  readonly slug: string;
  readonly variant: string | undefined;
}

/**
 * The models of a request by docs/spec/routing.md#slugs, docs/spec/routing.md#candidates,
 * docs/spec/routing.md#service-tiers.
 */
export function naiveCandidates(request: InferenceRequest, snapshot: RoutingSnapshot): NaiveCandidate[] {
  const named = request.models.map((slug) => ({ slug, found: find(slug, snapshot) }));
  for (const { found } of named) if (found instanceof Refused && found.status === 400) throw found;
  const candidates: NaiveCandidate[] = [];
  for (const { slug, found } of named) {
    if (found instanceof Refused) continue;
    const sibling = [...snapshot.catalogue.models.values()].find(({ id }) => id === found.fastSibling);
    const isServed =
      sibling?.retired === undefined && sibling?.endpoints.some((one) => one.status === undefined);
    const isFast = request.canonical.serviceTier === 'priority' && sibling !== undefined && isServed;
    const model = isFast && isVisible(sibling, snapshot) ? sibling : found;
    if (candidates.every((one) => one.model !== model))
      candidates.push({ model, slug, variant: split(slug).variant });
  }
  const gone = named.find(({ found }) => found instanceof Refused)?.found;
  if (candidates.length === 0 && gone instanceof Refused) throw gone;
  if (candidates.every((one) => !one.model.outputModalities.includes('text'))) {
    throw new Refused(400, 'wrong_endpoint');
  }
  return candidates;
}

function split(slug: string): { name: string; variant: string | undefined } {
  const [, name = '', variant] = /^(.*?)(?::(nitro|floor|exacto))?$/.exec(slug.toLowerCase()) ?? [];
  return { name, variant };
}

function isVisible({ accounts }: Model, { policy }: RoutingSnapshot): boolean {
  return accounts === undefined || accounts.has(policy.accountId ?? '');
}

function find(slug: string, snapshot: RoutingSnapshot): Model | Refused {
  const { name } = split(slug);
  const { catalogue } = snapshot;
  const models = [...catalogue.models.values()];
  const alias = catalogue.aliases?.get(name);
  const model =
    models.find(({ id }) => id === (alias === undefined ? name : alias.target)) ??
    models.find(({ canonicalSlug }) => canonicalSlug === name);
  if (alias !== undefined && model === undefined) return new Refused(404, 'no_endpoints');
  if (model === undefined || !isVisible(model, snapshot)) return new Refused(400, 'model_not_found');
  if (model.retired === undefined) return model;
  return new Refused(404, model.id.endsWith(':free') ? 'free_variant_ended' : 'model_deprecated');
}

/** An endpoint of a candidate; later with one credential. */
export interface NaiveEntry {
  readonly candidate: NaiveCandidate;
  readonly place: number;
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly credential?: ProviderCredential;
  readonly class: number;
}

/** The price of an endpoint for the prompt at that hour. */
export function naivePrice({ price }: Endpoint, { prompt, now }: RoutingSnapshot): Price | undefined {
  return price && priceInEffect(price, prompt.tokens, now);
}

/** The health rank of docs/spec/routing.md#health. */
export function naiveHealth(
  { endpoint, credential }: NaiveEntry,
  { statistics, rules: { health: rules } }: RoutingSnapshot,
): number {
  const health = statistics.health(endpoint, credential?.id);
  if (health === undefined) return 0;
  const uptime = 1 - health.failures / health.attempts;
  const isTelling = health.attempts >= rules.uptimeRequests;
  if (isTelling && uptime < rules.usableUptime) return 3;
  if (health.coolingDown) return 2;
  const { recentAttempts, recentFailures } = health;
  const many = recentFailures >= rules.outageFailures;
  if (many && recentFailures / recentAttempts >= rules.outageShare) return 2;
  return isTelling && uptime < rules.reliableUptime ? 1 : 0;
}

/** Whether a request may only go where nothing is kept. */
export function needsZdr(
  { model }: NaiveEntry,
  { provider }: InferenceRequest,
  { policy }: RoutingSnapshot,
): boolean {
  return provider.zdr === true || policy.zeroRetention?.(model) === true;
}

/** The own credentials at an endpoint's provider. */
export function ownOf({ endpoint }: NaiveEntry, { policy }: RoutingSnapshot): ProviderCredential[] {
  return (policy.credentials ?? []).filter(({ provider }) => provider === endpoint.provider.slug);
}

/** Those of them that cover the model. */
export function covering(one: NaiveEntry, snapshot: RoutingSnapshot): ProviderCredential[] {
  const names = [one.candidate.slug, one.model.id, one.model.canonicalSlug].map(strip);
  return ownOf(one, snapshot).filter(
    ({ allowedModels }) =>
      allowedModels === null || allowedModels.some((name) => names.includes(strip(name))),
  );
}

/** Whether an entry of `order`, `only` or `ignore` names an endpoint (docs/spec/routing.md#provider-names). */
export function matches(
  entry: string,
  { tag, tier, provider }: Endpoint,
  optedIn: string | undefined,
): boolean {
  const written = entry.toLowerCase();
  const isProvider = written === provider.slug || written === provider.name.toLowerCase();
  return written === tag || (isProvider && (tier === 'default' || tier === optedIn));
}

/** A slug without its variants. */
function strip(slug: string): string {
  return slug.toLowerCase().replace(/:.*/, '');
}

/** Compares lists of numbers and texts part by part. */
export function compareLists(one: readonly (number | string)[], other: readonly (number | string)[]): number {
  for (const [index, part] of one.entries()) {
    const counterpart = other[index] ?? part;
    if (part < counterpart) return -1;
    if (part > counterpart) return 1;
  }
  return 0;
}
