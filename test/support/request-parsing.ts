import assert from 'node:assert/strict';
import { HeadgateError } from '../../src/core/errors.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import {
  type ParsedRequest,
  parseInferenceRequest,
  type RequestContext,
} from '../../src/dialects/responses/request/parse-inference-request.ts';

const context: RequestContext = {
  headers: {},
  aliases: ['word'],
  echoDefaults: false,
  hashEndUser: (raw) => `hashed ${raw}`,
};

/** A request, and what its answer repeats of it. */
type ParsedBody = InferenceRequest & Pick<ParsedRequest, 'echo'>;

/** Parses a body in a plain context; a body without `model` or `input` gets usual ones. */
export function parse(body: object, changes: Partial<RequestContext> = {}): ParsedBody {
  const usual = { model: 'acme/swift-1', input: 'Hello.' };
  return together(parseInferenceRequest({ ...usual, ...body }, { ...context, ...changes }));
}

/** Parses a body as it is, without adding anything. */
export function parseBare(body: unknown): ParsedBody {
  return together(parseInferenceRequest(body, context));
}

function together({ request, echo }: ParsedRequest): ParsedBody {
  return { ...request, echo };
}

/** The status and message with which a body is refused. */
export function refusal(body: unknown): readonly [status: number, message: string] {
  const complete =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? { model: 'acme/swift-1', input: 'Hello.', ...body }
      : body;
  try {
    parseInferenceRequest(complete, context);
  } catch (thrown) {
    assert(thrown instanceof HeadgateError, `not a HeadgateError: ${thrown}`);
    return [thrown.status, thrown.message];
  }
  assert.fail('the body was accepted');
}

/** A request's canonical form as plain JSON, so that absent and undefined members compare alike. */
export function canonicalOf(body: object): unknown {
  return JSON.parse(JSON.stringify(parse(body).canonical));
}
