import type { Endpoint } from '../core/catalogue.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { ResponseObject } from '../core/response.ts';

/** Judges the calls a model made, so that routing knows whose are valid (routing.md 3.9). */
export interface ToolCallChecks {
  /** Notes an answer for judging, if it is complete; returns at once and never fails. */
  checkLater(
    endpoint: Endpoint,
    request: Pick<CanonicalRequest, 'tools' | 'items'>,
    response: Pick<ResponseObject, 'status' | 'output'>,
  ): void;
}
