import type { InferenceRequest } from '../core/inference-request.ts';
import type { AnswerWriter, PublicDialect } from '../dialects/public-dialect.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import type { Caller } from '../settlement/caller.ts';
import type { AppServices } from './app-services.ts';
import { headerText, spokenHeader } from './header-text.ts';
import type { ReceivedRequest } from './received-request.ts';

/** A call as a dialect has read it, with what writes its answer. */
export interface ReadCall {
  readonly call: CallFacts;
  readonly dialect: PublicDialect;
  /** Makes a writer for the answer; each writes one. */
  readonly createWriter: () => AnswerWriter;
}

/**
 * Reads the body and the headers of an HTTP request as a call of a model.
 * @throws HeadgateError `invalid_request` and `unprocessable` for a body that makes no sense.
 */
export function readCall(
  received: ReceivedRequest,
  caller: Caller,
  dialect: PublicDialect,
  services: AppServices,
): ReadCall {
  const { aliases } = services.config.compat;
  const pseudonym = (endUser?: string) => services.pseudonym(caller.account.id, endUser);
  const { request, createWriter } = dialect.read(received.body, {
    headers: {
      sessionId: spokenHeader(received, 'x-session-id'),
      metadata:
        serviceHeader(received, 'metadata', aliases) ??
        serviceHeader(received, 'experimental-metadata', aliases),
      strict: serviceHeader(received, 'strict', aliases),
      betas: betaHeaders(received),
    },
    aliases,
    defaultModel: caller.defaults?.textModel,
    hashEndUser: pseudonym,
  });
  const call = {
    request: withEndUser(request, pseudonym),
    caller,
    generationId: received.id,
    attribution: readAttribution(received, aliases),
    receivedAt: services.clock.now(),
  };
  return { call, dialect, createWriter };
}

/** The request under a pseudonym of the account's own where it names no end user. */
function withEndUser(request: InferenceRequest, pseudonym: () => string): InferenceRequest {
  if (request.canonical.endUser !== undefined) return request;
  return { ...request, canonical: { ...request.canonical, endUser: pseudonym() } };
}

/**
 * The value of a header of the service itself, also under the words an operator configured
 * (docs/spec/requests.md#prefix-aliases).
 */
function serviceHeader(
  request: ReceivedRequest,
  name: string,
  aliases: readonly string[],
): string | undefined {
  for (const word of ['service', ...aliases]) {
    const value = spokenHeader(request, `x-${word.toLowerCase()}-${name}`);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Undefined without any, as nearly always. */
function betaHeaders(request: ReceivedRequest): Record<string, string> | undefined {
  let betas: Record<string, string> | undefined;
  for (const name in request.headers) {
    if (!name.endsWith('-beta')) continue;
    const vendor = /^(?:x-)?([a-z]+)-beta$/.exec(name)?.[1];
    const text = headerText(request, name);
    if (vendor !== undefined && text !== undefined) betas = { ...betas, [vendor]: text };
  }
  return betas;
}

function readAttribution(request: ReceivedRequest, aliases: readonly string[]): CallFacts['attribution'] {
  return {
    httpReferer: headerText(request, 'http-referer') ?? headerText(request, 'referer'),
    origin: headerText(request, 'origin'),
    appTitle: serviceHeader(request, 'title', aliases) ?? spokenHeader(request, 'x-title'),
    userAgent: headerText(request, 'user-agent'),
  };
}
