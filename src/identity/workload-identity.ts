import { hash as digest } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { HeadgateError } from '../core/errors.ts';
import type { WorkloadIssuer, WorkloadPolicy } from '../core/workloads.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApiKey } from '../ports/keys.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import type { JsonObject } from '../util/json.ts';
import { LinkedMap } from '../util/linked-map.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { matchPolicy, subjectOf } from './match-policy.ts';
import { KeysUnavailable, TokenFault } from './token-fault.ts';
import { looksLikeToken, readToken, verifyToken } from './verify-token.ts';

/** Tokens that were verified and are remembered; beyond them the one that was verified first is forgotten. */
const mostTokens = 10_000;

const rejected = 'The token is not accepted: it is of no issuer here, or is not what its issuer must say.';

/** The subject of a token, and the policy that let it in. */
export interface Subject {
  readonly issuer: WorkloadIssuer;
  readonly policy: WorkloadPolicy;
  readonly name: string;
}

/** What keys of workloads are found by. `Caller` is whatever the directory knows callers as. */
export interface WorkloadServices<Caller extends { readonly key: ApiKey }> {
  readonly config: Pick<Config, 'auth'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly callers: { find(hash: string): Caller | undefined | Promise<Caller | undefined> };
  /** The hash of a subject's key, made at its first token. @throws HeadgateError. */
  readonly derive: (subject: Subject) => Promise<string>;
  /** Whether a key is what its policy says; and makes it so. */
  readonly isAsDeclared: (key: ApiKey, policy: WorkloadPolicy) => boolean;
  readonly align: (key: ApiKey, policy: WorkloadPolicy) => Promise<void>;
}

interface Remembered {
  readonly keyHash: string;
  readonly policy: WorkloadPolicy;
  /** Unix milliseconds. */
  readonly endsAt: number;
  /** The key as it was last found to be what the policy says. */
  checked: ApiKey | undefined;
}

/**
 * Finds callers by the signed tokens of their platform (docs/spec/workloads.md). A token that was verified is remembered, so
 * that the next request with it costs a digest and two looks into maps.
 */
export class WorkloadIdentity<Caller extends { readonly key: ApiKey }> {
  readonly #services: WorkloadServices<Caller>;
  #tokens = new LinkedMap<string, Remembered>();
  readonly #verifying = new Map<string, Promise<Remembered>>();
  #auth: Config['auth'] | undefined;
  #written = '';
  #keys = new Map<string, IssuerKeys>();

  constructor(services: WorkloadServices<Caller>) {
    this.#services = services;
  }

  /** Whether a text is a token that is judged here, and so is never tried as a key. */
  takes(text: string): boolean {
    return this.#services.config.auth.workloads.length > 0 && looksLikeToken(text);
  }

  /**
   * The caller that a token stands for; at once where it is known. Undefined where the key is not there any more.
   * @param beforeVerifying Called before a token is verified that is not known; may throw to refuse.
   * @throws HeadgateError `authentication` for a token that is not accepted, `permission_denied` for one that no policy fits,
   *   `service_unavailable` where its issuer's keys cannot be read.
   */
  find(token: string, beforeVerifying: () => void): Caller | undefined | Promise<Caller | undefined> {
    const id = digest('sha256', token, 'hex');
    const known = this.#remembered(id);
    if (known !== undefined) return this.#callerOf(known);
    beforeVerifying();
    return this.#verified(token, id).then((fresh) => this.#callerOf(fresh));
  }

  /** Issuers whose keys are old because they cannot be read, with their age in milliseconds. */
  get staleIssuers(): readonly { readonly id: string; readonly age: number }[] {
    return [...this.#keys].flatMap(([id, keys]) => {
      const { staleAge: age } = keys;
      return age === undefined ? [] : [{ id, age }];
    });
  }

  #remembered(id: string): Remembered | undefined {
    this.#renew();
    const known = this.#tokens.get(id);
    if (known === undefined || known.endsAt > this.#services.clock.now()) return known;
    this.#tokens.delete(id);
    return undefined;
  }

  #callerOf(known: Remembered): Caller | undefined | Promise<Caller | undefined> {
    const caller = this.#services.callers.find(known.keyHash);
    if (caller instanceof Promise) return caller.then((found) => this.#aligned(known, found));
    return caller === undefined || caller.key === known.checked ? caller : this.#aligned(known, caller);
  }

  /** The caller once its key is what the policy of the file says. */
  #aligned(known: Remembered, caller: Caller | undefined): Caller | undefined | Promise<Caller | undefined> {
    const { policy } = known;
    if (caller === undefined) return undefined;
    // Also a subject whose policy acted as something else before: its key would keep what it may do no more.
    const kind = policy.actsAs.kind === 'management' ? 'management' : 'inference';
    if (caller.key.kind !== kind) {
      throw this.#unusable(
        policy,
        `acts_as wants a key for ${kind}, this one is for ${caller.key.kind}: give the policy another id, or name another key`,
      );
    }
    if (this.#services.isAsDeclared(caller.key, policy)) {
      known.checked = caller.key;
      return caller;
    }
    return this.#services.align(caller.key, policy).then(() => this.#services.callers.find(known.keyHash));
  }

  #verified(token: string, id: string): Promise<Remembered> {
    const running = this.#verifying.get(id);
    if (running !== undefined) return running;
    const tokens = this.#tokens;
    const verifying = this.#verify(token)
      .then((known) => {
        // Judged by settings that are others now: the next request is judged anew.
        if (tokens !== this.#tokens) return known;
        this.#tokens.set(id, known);
        const { oldest } = this.#tokens;
        if (this.#tokens.size > mostTokens && oldest !== undefined) this.#tokens.delete(oldest[0]);
        return known;
      })
      .finally(() => this.#verifying.delete(id));
    this.#verifying.set(id, verifying);
    return verifying;
  }

  async #verify(token: string): Promise<Remembered> {
    const { clock } = this.#services;
    const issuer = this.#issuerOf(token);
    const claims = await this.#claims(token, issuer, clock.now());
    const policy = matchPolicy(issuer.policies, claims);
    if (policy === undefined) throw refused('No policy lets this token in.', 'no_policy');
    const name = subjectOf(policy, claims);
    if (name === undefined) throw refused('The token lacks a claim that names its subject.', 'no_subject');
    const endsAt = Number(claims.exp) * 1000 + issuer.leeway;
    const keyHash = await this.#keyHashOf({ issuer, policy, name });
    return { keyHash, policy, endsAt, checked: undefined };
  }

  async #keyHashOf(subject: Subject): Promise<string> {
    const { actsAs } = subject.policy;
    if (actsAs.kind === 'key') return actsAs.hash;
    try {
      return await this.#services.derive(subject);
    } catch (error) {
      // What the operator reads of a policy whose account or workspace is not there is nothing for who sent the token.
      const isTold = error instanceof HeadgateError && ['invalid_request', 'not_found'].includes(error.code);
      throw isTold ? this.#unusable(subject.policy, error.message) : error;
    }
  }

  #unusable(policy: WorkloadPolicy, why: string): HeadgateError {
    this.#services.log.warn({ policy: policy.id, why }, 'a policy of auth.workloads cannot be used');
    return refused(
      'The policy of this token cannot be used; the log of the server says why.',
      'policy_unusable',
    );
  }

  #issuerOf(token: string): WorkloadIssuer {
    const { workloads } = this.#services.config.auth;
    const named = this.#namedIssuer(token);
    const issuer = workloads.find((one) => one.issuer === named);
    if (issuer !== undefined) return issuer;
    this.#note({ reason: 'jwt_issuer' });
    throw new HeadgateError('authentication', rejected);
  }

  #namedIssuer(token: string): unknown {
    try {
      return readToken(token).claims.iss;
    } catch (error) {
      throw this.#answerTo(error, undefined);
    }
  }

  async #claims(token: string, issuer: WorkloadIssuer, now: number): Promise<JsonObject> {
    try {
      return await verifyToken(token, issuer, this.#keysOf(issuer), now);
    } catch (error) {
      throw this.#answerTo(error, issuer.id);
    }
  }

  /** The error for the sender of a token; the operator reads the reason in the log. */
  #answerTo(error: unknown, issuer: string | undefined): unknown {
    if (error instanceof KeysUnavailable) {
      return new HeadgateError(
        'service_unavailable',
        'The keys of the issuer of this token cannot be read just now.',
      );
    }
    if (!(error instanceof TokenFault)) return error;
    this.#note({ reason: error.reason, issuer, why: error.message });
    return error.reason === 'token_expired'
      ? new HeadgateError('authentication', 'The token has expired: get a new one.', {
          metadata: { reason: 'token_expired' },
        })
      : new HeadgateError('authentication', rejected);
  }

  #note(facts: object): void {
    this.#services.log.info(facts, 'a token was not accepted');
  }

  #keysOf({ id, keys: source, staleKeys }: WorkloadIssuer): IssuerKeys {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const { clock, log } = this.#services;
    const made = new IssuerKeys(
      source,
      staleKeys,
      () => clock.now(),
      (why) => log.warn({ issuer: id, why }, 'the keys of an issuer cannot be read'),
    );
    this.#keys.set(id, made);
    return made;
  }

  /** Forgets tokens once the configuration of issuers is another one, and keys of those whose source is another one. */
  #renew(): void {
    const { auth } = this.#services.config;
    if (auth === this.#auth) return;
    const before = new Map(this.#auth?.workloads.map((one) => [one.id, written([one.keys, one.staleKeys])]));
    this.#auth = auth;
    const now = written(auth.workloads);
    if (now === this.#written) return;
    this.#written = now;
    this.#tokens = new LinkedMap();
    const isSame = (one: WorkloadIssuer) => before.get(one.id) === written([one.keys, one.staleKeys]);
    const kept = auth.workloads.filter(isSame).flatMap(({ id }) => {
      const keys = this.#keys.get(id);
      return keys === undefined ? [] : [[id, keys] as const];
    });
    this.#keys = new Map(kept);
  }
}

function refused(message: string, reason: string): HeadgateError {
  return new HeadgateError('permission_denied', message, { metadata: { reason } });
}

/** Settings as text that is the same for the same settings. */
function written(settings: unknown): string {
  return canonicalJson(
    JSON.parse(
      JSON.stringify(settings, (_name, value: unknown) =>
        typeof value === 'bigint' ? `${value} nano` : value,
      ),
    ),
  );
}
