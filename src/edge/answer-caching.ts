import { hash } from 'node:crypto';
import { zeroUsd } from '../core/money.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import { type JudgedCaller, judgeCaller } from '../pipeline/judge.ts';
import { isPrepaid } from '../settlement/admit.ts';
import type { AppliedPreset } from './apply-preset.ts';
import type { CachingServices, FoundAnswer } from './inference-services.ts';
import { type ReadCall, serviceHeader } from './read-call.ts';
import type { ReceivedRequest } from './received-request.ts';

/** Seconds that an answer is kept unless the request says, at least and at most. */
const usualLifetime = 300;
const longestLifetime = 86_400;

/** How a request wants its answer cached. */
export interface AnswerCaching {
  /** Who asks. */
  readonly owner: Pick<FoundAnswer, 'accountId' | 'keyHash' | 'workspaceId'>;
  /** Equal for requests that may share an answer. */
  readonly key: string;
  /** Seconds. */
  readonly lifetime: number;
  /** Whether what is kept shall be forgotten first. */
  readonly clears: boolean;
}

/**
 * How a request wants its answer cached; undefined where it does not, or nothing may be kept of it
 * (docs/spec/caching.md#when). Costs nothing where no header and no preset asks for it.
 */
export function answerCachingOf(
  received: ReceivedRequest,
  read: ReadCall,
  services: CachingServices,
): AnswerCaching | undefined {
  const { aliases } = services.config.compat;
  const header = (name: string) => serviceHeader(received, name, aliases)?.trim().toLowerCase();
  if (!isWanted(header('cache'), read.preset) || !mayKeep(read, services)) return undefined;
  const key = keyOf(received, read, services);
  if (key === undefined) return undefined;
  const lifetime =
    readLifetime(header('cache-ttl')) ?? readLifetime(read.preset?.cacheTtlSeconds) ?? usualLifetime;
  const { account, key: apiKey } = read.call.caller;
  const owner = { accountId: account.id, keyHash: apiKey.hash, workspaceId: apiKey.workspaceId };
  return { owner, key, lifetime, clears: header('cache-clear') === 'true' };
}

/** The preset's refusal wins, then the header's, then either's wish. */
function isWanted(header: string | undefined, preset: AppliedPreset | undefined): boolean {
  if (preset?.cacheEnabled === false || header === 'false') return false;
  return header === 'true' || preset?.cacheEnabled === true;
}

/** Whole seconds by the digits a value begins with, within bounds; undefined without any. */
function readLifetime(value: string | number | undefined): number | undefined {
  const digits = value === undefined ? undefined : /^\d+/.exec(String(value))?.[0];
  return digits === undefined ? undefined : Math.min(Math.max(Number(digits), 1), longestLifetime);
}

/** Whether the caller may spend something now, and nobody asks that nothing be retained. */
function mayKeep({ call }: ReadCall, services: CachingServices): boolean {
  const { account, funds } = call.caller;
  const { zdr } = call.request.provider;
  if (account.zeroRetention || zdr === true) return false;
  if (isPrepaid(account) && funds.balance <= zeroUsd) return false;
  let judged: JudgedCaller;
  try {
    judged = judgeCaller(call, services);
  } catch {
    // Answering says why.
    return false;
  }
  const { candidates, policy, refusal } = judged;
  if (refusal !== undefined) return false;
  return policy.zeroRetention === undefined || !candidates.some(({ model }) => policy.zeroRetention?.(model));
}

/** Everything that an answer depends on besides chance. Nothing for a body too deep to be written. */
function keyOf(
  { body, id: _id }: ReceivedRequest,
  { call, dialect, preset }: ReadCall,
  services: CachingServices,
): string | undefined {
  const { request, caller } = call;
  const catalogue = services.catalogue();
  const models = request.models.map((slug) => {
    const found = resolveSlug(slug, catalogue, caller.account.id);
    return found.outcome === 'model' ? [slug, found.model.id] : [slug];
  });
  const facts = [
    caller.key.hash,
    dialect.name,
    request.stream,
    models,
    request.strict,
    request.canonical.betas ?? null,
    preset?.versionId ?? null,
    services.guardrails?.of(caller)?.applied ?? null,
    caller.defaults ?? null,
    request.plugins ?? null,
    body,
  ];
  try {
    return hash('sha256', JSON.stringify(facts, exactAmount), 'base64url');
  } catch {
    return undefined;
  }
}

/** Amounts of money are no JSON. */
function exactAmount(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
