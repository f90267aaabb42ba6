import type { Catalogue } from '../core/catalogue.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { BracketServices, CallFacts } from '../settlement/bracket.ts';
import type { SpendingServices } from '../settlement/spending.ts';

/** Everything a request needs besides itself, put together once at the composition root. */
export interface Services extends BracketServices, SpendingServices {
  /** The catalogue of this moment; a request asks once. */
  readonly catalogue: () => Catalogue;
  readonly upstreams: UpstreamRegistry;
}

/** One request on its way through the pipeline. */
export interface InferenceCall extends CallFacts {
  /**
   * Aborted when the client has gone (reason ClientGone), when the request's total time is up or when the
   * server stops (reason HeadgateError).
   */
  readonly signal: AbortSignal;
}

/** Why a call was aborted when nobody waits for its answer any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
