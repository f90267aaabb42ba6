import type { Endpoint } from '../core/catalogue.ts';
import type { ModelCall } from '../core/model-call.ts';
import type { CanonicalChat } from '../core/request.ts';

/**
 * Validates a model's tool calls, so that routing knows which endpoints make valid ones
 * (docs/spec/routing.md#faulty-calls).
 */
export interface ToolCallChecks {
  /**
   * Queues an answer for validation, if it is complete; returns immediately and never fails.
   * @param owner The account: accounts take turns.
   */
  checkLater(
    endpoint: Endpoint,
    request: Pick<CanonicalChat, 'tools' | 'items'>,
    calls: readonly ModelCall[],
    owner: string,
  ): void;
}
