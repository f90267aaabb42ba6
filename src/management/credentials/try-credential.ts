import type { Catalogue, Endpoint, Model } from '../../core/catalogue.ts';
import { HeadgateError, toHeadgateError } from '../../core/errors.ts';
import { isVisible } from '../../core/resolve-slug.ts';
import { isForKey } from '../../ports/credential-scope.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import type { Secret } from '../../util/secret.ts';
import { type Actor, type KeyActor, type OperatorActor, refusal } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { findKey } from '../keys/keys.ts';
import { makeChange } from '../make-change.ts';
import type { OtherServices, Uses, UsesToChange } from '../services.ts';
import { findCredential } from './credentials.ts';

/** Which credential to try, and with what. */
export interface CredentialTrial {
  readonly id: string;
  /** The inference key to run as; the newest that may use the credential by default. */
  readonly keyHash?: string | undefined;
}

/** Makes the call of a trial. */
export interface TrialCaller<Result> {
  /** Chooses the model to ask. @throws HeadgateError `invalid_request` when there is none. */
  choose(credential: ProviderCredential, key: ApiKey): Model | Promise<Model>;
  /** Asks it with the credential and no other. */
  ask(credential: ProviderCredential, key: ApiKey, model: Model): Promise<Result>;
}

/**
 * Makes one short call with a credential, on the account of its owner, and notes who asked for it
 * (docs/spec/credentials.md#testing).
 * @throws HeadgateError `not_found`; `invalid_request` when the credential is disabled or there is nothing to try it with.
 */
export async function tryCredential<Result>(
  actor: KeyActor,
  { id, keyHash }: CredentialTrial,
  { choose, ask }: TrialCaller<Result>,
  services: UsesToChange<'accounts' | 'credentials' | 'keys' | 'workspaces'>,
): Promise<Result> {
  const action = 'credential.test';
  return notingRefusal({ actor, action, id }, services, async () => {
    const credential = await findCredential(actor, id, services);
    if (credential.disabled) {
      throw new HeadgateError('invalid_request', 'This credential is disabled. Enable it, then test it.');
    }
    const key = await chooseTestKey(actor, credential, keyHash, services);
    const model = await choose(credential, key);
    const { accountId, workspaceId } = credential;
    const tested = { actor, action, id: credential.id, accountId, workspaceId } as const;
    const after = () => ({ model: model.id, key: key.label });
    await makeChange({ ...tested, after }, services, async () => {});
    return ask(credential, key, model);
  });
}

/** How many keys of a workspace, and how many workspaces, are looked at. */
const mostKeys = 100;
const mostWorkspaces = 20;

type KeyUses = Uses<'keys' | 'workspaces', 'clock'>;

/**
 * The inference key that a test call of a credential runs as: the one named, else the newest that may use the credential.
 * @throws HeadgateError `not_found`; `invalid_request` when the key named, or every key, may not use it.
 */
async function chooseTestKey(
  actor: KeyActor,
  credential: ProviderCredential,
  named: string | undefined,
  services: KeyUses,
): Promise<ApiKey> {
  const now = services.clock.now();
  const mayUse = (key: ApiKey) => isLive(key, now) && isForKey(credential, key);
  if (named !== undefined) {
    const key = await findKey(actor, named, services);
    if (mayUse(key)) return key;
    throw malformed('key_hash', 'names a key that may not use this credential, or is disabled or expired');
  }
  for await (const keys of keysFor(credential, services)) {
    const found = keys.find(mayUse);
    if (found !== undefined) return found;
  }
  throw new HeadgateError(
    'invalid_request',
    'A test runs as an inference key, and no enabled key may use this credential. Create a key in its workspace, or change which keys and users the credential is for.',
  );
}

async function* keysFor(
  { accountId, workspaceId, allowedKeyHashes }: ProviderCredential,
  { storage }: KeyUses,
): AsyncGenerator<readonly ApiKey[]> {
  if (allowedKeyHashes !== null) {
    const known = await Promise.all(allowedKeyHashes.map((hash) => storage.keys.findWithAccount(hash)));
    yield known.flatMap((one) => (one === undefined ? [] : [one.key]));
    return;
  }
  const page = { offset: 0, limit: mostWorkspaces };
  const ids =
    workspaceId === null
      ? (await storage.workspaces.list({ accountId, ...page })).workspaces.map(({ id }) => id)
      : [workspaceId];
  for (const id of ids) {
    const query = { accountId, workspaceId: id, includeDisabled: false, offset: 0, limit: mostKeys };
    yield await storage.keys.list(query);
  }
}

function isLive({ kind, disabled, expiresAt }: ApiKey, now: number): boolean {
  return kind === 'inference' && !disabled && (expiresAt === null || expiresAt > now);
}

/** Opens the vault and makes the call. Opened only once there is something to ask. */
type OpenTestTools = () => Promise<
  Pick<OtherServices, 'vault'> & {
    ask(target: TestTarget, secret: Secret): Promise<string>;
  }
>;

/** What came of a test call. */
interface TestedCredential {
  readonly credential: ProviderCredential;
  readonly model: string;
  readonly milliseconds: number;
  /** What the model said. */
  readonly answer: string;
}

/**
 * Makes one short call with a credential, without routing or charging, so that its provider's own answer is seen.
 * @param input.model The id of the model to ask; by default the cheapest the credential is for.
 * @throws HeadgateError `not_found` or `invalid_request` when there is no such credential or nothing to ask;
 *   `provider_failed` with what the provider answered instead.
 */
export async function testCredential(
  actor: OperatorActor,
  input: { readonly id: string; readonly model?: string },
  services: Uses<'accounts' | 'credentials'>,
  catalogue: Catalogue,
  openTools: OpenTestTools,
): Promise<TestedCredential> {
  const credential = await findCredential(actor, input.id, services);
  const { allowedModels } = credential;
  const target = chooseTestTarget(actor, credential, input.model, catalogue, ({ id }) => {
    return input.model !== undefined || (allowedModels?.includes(id) ?? true);
  });
  const { vault, ask } = await openTools();
  const began = performance.now();
  try {
    const answer = await ask(target, await vault.open(credential));
    const milliseconds = Math.round(performance.now() - began);
    return { credential, model: target.model.id, milliseconds, answer };
  } catch (thrown) {
    const { message, metadata, cause } = toHeadgateError(thrown);
    const code = metadata.provider_code === undefined ? '' : ` (${metadata.provider_code})`;
    const text = `${credential.provider} ${credential.label}: ${message}${code}`;
    throw new HeadgateError('provider_failed', text, { cause });
  }
}

/** What a test call asks: a model at one endpoint. */
interface TestTarget {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** What the operator does so that a provider's models are served to accounts with their own credentials. */
export function bringIntoService(provider: string): string {
  return `add "providers: { ${provider}: {} }" to the configuration`;
}

/**
 * The endpoint that a test call of a credential asks: of the model named, else the cheapest the credential is for. Models
 * that think before they answer come last, because a short answer may not suffice for them.
 * @param isFor Whether a model may be asked.
 * @throws HeadgateError `invalid_request` when there is nothing to ask.
 */
export function chooseTestTarget(
  actor: Actor,
  { provider, accountId }: Pick<ProviderCredential, 'provider' | 'accountId'>,
  wanted: string | undefined,
  { models, providers }: Catalogue,
  isFor: (model: Model) => boolean,
): TestTarget {
  const targets = [...models.values()]
    .filter((model) => (wanted === undefined || model.id === wanted) && isAsked(model, accountId))
    .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
    .filter(({ endpoint }) => endpoint.provider.slug === provider && isReached(endpoint, accountId))
    .filter(({ model }) => isFor(model));
  const [best] = targets.sort((one, other) => rankOf(one) - rankOf(other) || priceOf(one) - priceOf(other));
  if (best !== undefined) return best;
  if (!providers.has(provider)) {
    throw refusal(
      actor,
      new HeadgateError(
        'invalid_request',
        `No model of ${provider} is served here. The operator can ${bringIntoService(provider)}.`,
      ),
      `none of ${provider}'s models is served; ${bringIntoService(provider)}`,
    );
  }
  throw nothingToAsk(actor, provider, wanted);
}

function nothingToAsk(actor: Actor, provider: string, wanted: string | undefined): HeadgateError {
  const see = `see "headgate models list --provider ${provider}"`;
  if (wanted !== undefined) {
    return refusal(
      actor,
      new HeadgateError(
        'invalid_request',
        `model: ${provider} does not serve "${wanted}" here with this credential and this key`,
      ),
      `${provider} does not serve "${wanted}" here; ${see}`,
    );
  }
  return refusal(
    actor,
    new HeadgateError(
      'invalid_request',
      `No text model of ${provider} that is served here is among the models this credential and the key are for. Change "allowed_models" of one of them.`,
    ),
    `the catalogue has no model of ${provider} that this credential is for; ${see}`,
  );
}

function isAsked(model: Model, accountId: string): boolean {
  return (
    model.outputModalities.includes('text') && model.retired === undefined && isVisible(model, accountId)
  );
}

function isReached(endpoint: Endpoint, accountId: string): boolean {
  return endpoint.status === undefined && endpoint.tier === 'default' && isVisible(endpoint, accountId);
}

function rankOf({ model: { reasoning } }: TestTarget): number {
  return reasoning === undefined ? 0 : reasoning.mandatory ? 2 : 1;
}

/** What a short call costs, roughly. An unpriced endpoint comes last. */
function priceOf({ endpoint: { price } }: TestTarget): number {
  return price === undefined ? Number.POSITIVE_INFINITY : Number(price.prompt + price.completion);
}

/** Test calls of an account that run at the same time in one process. */
export const mostTests = 2;

/** Test calls that are being made: a few for each account, because they cost money. */
export class RunningTests {
  readonly #accounts = new Map<string, number>();

  /**
   * Counts a test of an account.
   * @returns To be called once it is over.
   * @throws HeadgateError `platform_rate_limit` for a test too many.
   */
  begin(accountId: string): () => void {
    const running = this.#accounts.get(accountId) ?? 0;
    if (running >= mostTests) {
      const message = `${mostTests} tests of credentials are running: try again when one is done.`;
      throw new HeadgateError('platform_rate_limit', message, { retryAfter: 5 });
    }
    this.#accounts.set(accountId, running + 1);
    return () => {
      const left = (this.#accounts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#accounts.delete(accountId);
      else this.#accounts.set(accountId, left);
    };
  }
}
