import type { Endpoint } from '../core/catalogue.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { ResponseObject } from '../core/response.ts';

/** Validates a model's tool calls, so that routing knows which endpoints make valid ones (routing.md 3.9). */
export interface ToolCallChecks {
  /** Queues an answer for validation, if it is complete; returns immediately and never fails. */
  checkLater(
    endpoint: Endpoint,
    request: Pick<CanonicalRequest, 'tools' | 'items'>,
    response: Pick<ResponseObject, 'status' | 'output'>,
  ): void;
}
