import type { InferenceRequest } from '../core/inference-request.ts';
import { parseInferenceRequest } from '../dialects/responses/request/parse-inference-request.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import type { Caller } from '../settlement/caller.ts';
import type { AppServices } from './app-services.ts';
import { headerText, spokenHeader } from './header-text.ts';
import type { ReceivedRequest } from './received-request.ts';

/**
 * What an HTTP request asks of a model, by its body and headers.
 * @throws HeadgateError `invalid_request` and `unprocessable` for a body that cannot be meant.
 */
export function readCall(request: ReceivedRequest, caller: Caller, services: AppServices): CallFacts {
  return {
    request: readInference(request, caller, services),
    caller,
    generationId: request.id,
    attribution: readAttribution(request, services.config.aliases),
    receivedAt: services.clock.now(),
  };
}

function readInference(request: ReceivedRequest, caller: Caller, services: AppServices): InferenceRequest {
  const { aliases, responses } = services.config;
  const pseudonym = (endUser?: string) => services.pseudonym(caller.account.id, endUser);
  const inference = parseInferenceRequest(request.body, {
    headers: {
      sessionId: spokenHeader(request, 'x-session-id'),
      metadata:
        serviceHeader(request, 'metadata', aliases) ??
        serviceHeader(request, 'experimental-metadata', aliases),
      strict: serviceHeader(request, 'strict', aliases),
      betas: betaHeaders(request),
    },
    aliases,
    defaultModel: caller.defaults?.textModel,
    echoDefaults: responses.echoDefaults,
    hashEndUser: pseudonym,
  });
  if (inference.canonical.endUser !== undefined) return inference;
  return { ...inference, canonical: { ...inference.canonical, endUser: pseudonym() } };
}

/** A header of the service's own, also under the words an operator configured (README decision 1). */
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
