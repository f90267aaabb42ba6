import type { CanonicalChat } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import type { PublicDialect, ReadContext } from '../public-dialect.ts';
import { ResponsesWriter } from './answer/responses-writer.ts';
import { parseInferenceRequest } from './request/parse-inference-request.ts';

/** Reads a body of `POST /responses` that is sent elsewhere. @throws HeadgateError as for that route. */
export function readInputBody(body: JsonObject, context: ReadContext): CanonicalChat {
  return parseInferenceRequest(body, { ...context, echoDefaults: false }).request.canonical;
}

/** The dialect of `POST /responses`. */
export const responsesDialect: PublicDialect = {
  name: 'responses',
  path: '/responses',
  read(body, context) {
    const { request, echo } = parseInferenceRequest(body, context);
    return { request, createWriter: () => new ResponsesWriter(request, echo, context.keepAlive) };
  },
};
