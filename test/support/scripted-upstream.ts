import type { Provider } from '../../src/core/catalogue.ts';
import type { Delta } from '../../src/core/delta.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { type Feature, type FeatureSupport, features, type Support } from '../../src/core/features.ts';
import type { Upstream, UpstreamCall } from '../../src/ports/upstream.ts';

/**
 * What a scripted endpoint does: batches of deltas in order; an error is thrown where it stands; one that is unreachable
 * never gets the request.
 */
export type Script = readonly (readonly Delta[] | HeadgateError | 'hang' | 'unreachable')[];

/** A dialect that has words for everything, but for what is stated otherwise. */
export function supportOf(changes: Partial<Record<Feature, Support>> = {}): FeatureSupport {
  return { ...everything, ...changes };
}

const everything = Object.fromEntries(Object.keys(features).map((feature) => [feature, 'native'])) as Record<
  Feature,
  Support
>;

/** An upstream that plays a script for each provider slug and notes its calls. */
export class ScriptedUpstream implements Upstream {
  readonly calls: UpstreamCall[] = [];
  /** Provider slugs whose stream was left, in that order, whether it was read to its end or not. */
  readonly closed: string[] = [];
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #supports: Readonly<Record<string, FeatureSupport>>;

  /** @param supports How the providers named deal with features; the others have words for everything. */
  constructor(
    scripts: Readonly<Record<string, Script>>,
    supports: Readonly<Record<string, FeatureSupport>> = {},
  ) {
    this.#scripts = scripts;
    this.#supports = supports;
  }

  support({ slug }: Provider): FeatureSupport {
    return this.#supports[slug] ?? everything;
  }

  async *stream(call: UpstreamCall): AsyncGenerator<readonly Delta[]> {
    this.calls.push(call);
    const slug = call.endpoint.provider.slug;
    if (this.#scripts[slug]?.[0] !== 'unreachable') call.onSent?.();
    call.onBody?.({ sentTo: slug });
    try {
      for (const step of this.#scripts[slug] ?? []) {
        if (step === 'hang' || step === 'unreachable') await untilAborted(call.signal);
        else if (step instanceof HeadgateError) throw step;
        else yield step;
        call.signal.throwIfAborted();
      }
    } finally {
      this.closed.push(slug);
    }
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
