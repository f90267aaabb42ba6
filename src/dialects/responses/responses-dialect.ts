import type { CanonicalRequest } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import type { PublicDialect, ReadContext } from '../public-dialect.ts';
import { ResponsesWriter } from './answer/responses-writer.ts';
import { parseInferenceRequest } from './request/parse-inference-request.ts';

/** What an operator decides about answers of this dialect. */
export interface ResponsesSettings {
  /**
   * Whether unset sampler settings are repeated as the open standard's defaults (docs/spec/answers.md#unset-settings).
   */
  readonly echoDefaults: boolean;
  /** What a silent stream says; undefined means events (docs/spec/answers.md#framing). */
  readonly keepAlive?: 'events' | 'comments';
}

/** Reads a body of `POST /responses` that is sent elsewhere. @throws HeadgateError as for that route. */
export function readInputBody(body: JsonObject, context: ReadContext): CanonicalRequest {
  return parseInferenceRequest(body, { ...context, echoDefaults: false }).request.canonical;
}

/**
 * The dialect of `POST /responses`.
 * @param settings Read once for each request.
 */
export function createResponsesDialect(settings: () => ResponsesSettings): PublicDialect {
  return {
    name: 'responses',
    path: '/responses',
    read(body, context) {
      const { echoDefaults, keepAlive } = settings();
      const { request, echo } = parseInferenceRequest(body, { ...context, echoDefaults });
      return { request, createWriter: () => new ResponsesWriter(request, echo, keepAlive) };
    },
  };
}
