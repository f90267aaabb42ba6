import type { Endpoint, Model } from '../core/catalogue.ts';
import { errorTable, type HeadgateError } from '../core/errors.ts';
import type { Target } from './route-plan.ts';

type Rule = (endpoint: Endpoint) => boolean;

/** A plan's endpoints in order, without those ruled out by earlier failures (docs/spec/routing.md#outcomes). */
export class RemainingTargets {
  #targets: readonly Target[];
  /** Which endpoints of a model may still be tried; a model without rules has no limit. */
  readonly #rules = new Map<Model, Rule[]>();
  /** The failure after which the other models of its router are not tried, unless a later one replaces it. */
  #final: Pick<Target, 'router' | 'model'> | undefined;
  /** Endpoints with several shared credentials that failed for another reason than the credential. */
  readonly #failedEndpoints = new Set<Endpoint>();
  #next = 0;
  #stopped = false;

  constructor(targets: readonly Target[]) {
    this.#targets = targets;
  }

  /**
   * The next endpoint to try; each is returned once, unless `again` repeats it.
   * @param isWanted If it returns false, the endpoint stays next and the result is undefined.
   */
  take(isWanted: (target: Target) => boolean = () => true): Target | undefined {
    for (; !this.#stopped; this.#next += 1) {
      const target = this.#targets[this.#next];
      if (target === undefined) return undefined;
      const rules = this.#rules.get(target.model) ?? [];
      if (!rules.every((rule) => rule(target.endpoint)) || this.#isSparedBy(target)) continue;
      if (this.#failedEndpoints.has(target.endpoint) && target.credential === undefined) continue;
      if (!isWanted(target)) return undefined;
      this.#next += 1;
      return target;
    }
    return undefined;
  }

  /** Puts the other credentials of an endpoint behind the endpoints that follow, so that another one is next. */
  postpone(endpoint: Endpoint): void {
    const others = this.#targets.slice(this.#next);
    const isSame = (target: Target) => target.endpoint === endpoint && target.sharedKey !== undefined;
    const end = others.findIndex((target) => !isSame(target));
    if (end <= 0) return;
    const kept = others.slice(end);
    const sameModel = kept.findIndex(({ model }) => model !== others[0]?.model);
    const at = sameModel === -1 ? kept.length : sameModel;
    this.#targets = [
      ...this.#targets.slice(0, this.#next),
      ...kept.toSpliced(at, 0, ...others.slice(0, end)),
    ];
  }

  /** Makes an endpoint the next one, once more. */
  again(target: Target): void {
    this.#failedEndpoints.delete(target.endpoint);
    this.#targets = this.#targets.toSpliced(this.#next, 0, target);
  }

  /** Applies the consequence of a failure. */
  failed({ model, endpoint, credential, router }: Target, { next, code }: HeadgateError): void {
    const isFinal = router?.onlyTransient === true && !errorTable[code].retryable;
    this.#final = isFinal ? { router, model } : undefined;
    if (next === 'stop') this.#stopped = true;
    const isShared = credential === undefined && endpoint.provider.sharedKeys !== undefined;
    if (isShared && !ofCredential.has(code)) this.#failedEndpoints.add(endpoint);
    if (code === 'upstream_context_length') this.#add(model, (other) => roomOf(other) > roomOf(endpoint));
    else if (next === 'model') this.#add(model, canModerationHelp(code, endpoint) ? isUnmoderated : never);
  }

  /** Whether a router offered a model for transient failures only, and the last one was none. */
  #isSparedBy({ model, router }: Target): boolean {
    return this.#final !== undefined && router === this.#final.router && model !== this.#final.model;
  }

  #add(model: Model, rule: Rule): void {
    this.#rules.set(model, [...(this.#rules.get(model) ?? []), rule]);
  }
}

/** Failures for which another credential may help. */
const ofCredential: ReadonlySet<HeadgateError['code']> = new Set([
  'upstream_credential',
  'upstream_rate_limit',
]);

const never: Rule = () => false;
const isUnmoderated: Rule = ({ isModerated }) => isModerated !== true;

/**
 * Another endpoint only helps against a filter in front of the model: what the model itself refuses, it refuses
 * everywhere.
 */
function canModerationHelp(code: HeadgateError['code'], { isModerated }: Endpoint): boolean {
  return isModerated === true && (code === 'upstream_policy' || code === 'upstream_flagged');
}

function roomOf({ contextLength }: Endpoint): number {
  return contextLength ?? Number.POSITIVE_INFINITY;
}
