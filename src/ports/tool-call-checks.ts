import type { Endpoint } from '../core/catalogue.ts';
import type { ModelCall } from '../core/model-call.ts';
import type { CanonicalRequest } from '../core/request.ts';

/** Judges the calls a model made, so that routing knows which endpoints make valid ones (routing.md 3.9). */
export interface ToolCallChecks {
  /**
   * Notes the calls of a complete answer for judging. Returns at once and never fails.
   * @param request What the model was asked, with the tools it was offered.
   */
  checkLater(
    endpoint: Endpoint,
    request: Pick<CanonicalRequest, 'tools' | 'items'>,
    calls: readonly ModelCall[],
  ): void;
}
