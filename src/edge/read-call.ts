import { HeadgateError } from '../core/errors.ts';
import { fitOutputLimit } from '../core/fit-output-limit.ts';
import { type AnyRequest, wantsChat } from '../core/inference-request.ts';
import { resolveNames } from '../core/model-names.ts';
import { defaultsInEffect } from '../core/plugin-defaults.ts';
import type { Item } from '../core/request.ts';
import type { AnswerWriter, PublicDialect } from '../dialects/public-dialect.ts';
import { headerText, type ReceivedRequest, spokenHeader } from '../http/request.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { Caller } from '../settlement/caller.ts';
import { cutText } from '../util/growing-text.ts';
import type { AppliedPreset } from './apply-preset.ts';
import type { ReadServices } from './inference-services.ts';

/** A call as a dialect has read it, with what writes its answer. */
export interface ReadCall {
  readonly call: CallFacts;
  readonly dialect: PublicDialect;
  /** Makes a writer for the answer; each writes one. */
  readonly createWriter: () => AnswerWriter;
  /** The preset that it names. */
  readonly preset: AppliedPreset | undefined;
}

/**
 * Reads the body and the headers of an HTTP request as a call of a model.
 * @param preset Whose settings are in the body already.
 * @throws HeadgateError `invalid_request` and `unprocessable` for a body that makes no sense.
 */
export function readCall(
  received: ReceivedRequest,
  caller: Caller,
  dialect: PublicDialect,
  services: ReadServices,
  preset?: AppliedPreset,
): ReadCall {
  const { aliases } = services.config.compat;
  const pseudonym = (endUser?: string) => services.pseudonym(caller.account.id, endUser);
  const { request, createWriter } = dialect.read(received.body, {
    generationId: received.id,
    headers: {
      sessionId: spokenHeader(received, 'x-session-id'),
      metadata:
        serviceHeader(received, 'metadata', aliases) ??
        serviceHeader(received, 'experimental-metadata', aliases),
      strict: serviceHeader(received, 'strict', aliases),
      clientSession: clientSession(received),
      userAgent: headerText(received, 'user-agent'),
      betas: betaHeaders(received),
    },
    aliases,
    defaultModel: caller.defaults?.textModel,
    pluginDefaults: defaultsInEffect(
      services.config.plugins.defaults,
      caller.account.pluginDefaults,
      caller.defaults?.plugins,
    ),
    echoDefaults: services.config.responses.echoDefaults,
    keepAlive: services.config.responses.keepAlive,
    echoModel: services.config.compat.echoModel,
    carriers: services.carriers(caller.account.id),
    hashEndUser: pseudonym,
  });
  refuseBlank(request, dialect);
  const call = {
    request: fitToCatalogue(withEndUser(request, pseudonym), caller, dialect, services),
    caller,
    generationId: received.id,
    attribution: readAttribution(received, aliases, preset),
    receivedAt: services.clock.now(),
  };
  return { call, dialect, createWriter, preset };
}

/**
 * The request with slugs in place of clients' names for models, and with an output limit some model can reach where the
 * clients of a dialect need that.
 * @throws HeadgateError `unprocessable` for a strict request that had to be altered.
 */
function fitToCatalogue(
  request: AnyRequest,
  { account }: Caller,
  { readModelName: read, asksForMost }: PublicDialect,
  services: ReadServices,
): AnyRequest {
  const catalogue = services.catalogue();
  const aliases = services.config.compat.modelAliases;
  const named = resolveNames(request, { catalogue, accountId: account.id, aliases, read });
  const fitted =
    asksForMost === true && wantsChat(named) ? fitOutputLimit(named, catalogue, account.id) : named;
  const [first] = fitted.altered ?? [];
  if (fitted.strict && first !== undefined) {
    throw new HeadgateError(
      'unprocessable',
      `${first.field}: would be altered (${first.how}), which X-Service-Strict forbids`,
    );
  }
  return fitted;
}

/**
 * A conversation without a word: some providers drop blank texts and then find nothing.
 * @throws HeadgateError `invalid_request`.
 */
function refuseBlank({ canonical }: AnyRequest, { path }: PublicDialect): void {
  if (canonical.kind !== 'chat') return;
  const { items, prompt } = canonical;
  const isBlank = (item: Item) =>
    item.kind === 'message' && item.content.every((part) => part.kind === 'text' && part.text.trim() === '');
  if (prompt !== undefined || !items.every(isBlank)) return;
  const field = path.startsWith('/responses') ? 'input' : 'messages';
  throw new HeadgateError(
    'invalid_request',
    `${field}: holds nothing but blank text; write what you want to say`,
  );
}

/** The request under a pseudonym of the account's own where it names no end user. */
function withEndUser(request: AnyRequest, pseudonym: () => string): AnyRequest {
  if (request.canonical.endUser !== undefined) return request;
  return { ...request, canonical: { ...request.canonical, endUser: pseudonym() } };
}

/**
 * The value of a header of the service itself, also under the words an operator configured
 * (docs/spec/requests.md#prefix-aliases).
 */
export function serviceHeader(
  request: Pick<ReceivedRequest, 'headers'>,
  name: string,
  aliases: readonly string[],
): string | undefined {
  for (const word of ['service', ...aliases]) {
    const value = spokenHeader(request, `x-${word.toLowerCase()}-${name}`);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Headers by which clients name their session without meaning the gateway, the first one first. */
const sessionHeaders = ['x-session-affinity', 'x-claude-code-session-id', 'session_id'] as const;
const longestSession = 256;

/** The session that a client's own header names; one that is too long is none. */
function clientSession(request: ReceivedRequest): string | undefined {
  for (const name of sessionHeaders) {
    const value = headerText(request, name);
    if (value !== undefined && value.length <= longestSession) return value;
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

/** Who sent a request, for its record. A header may be as long as all of them together, and is kept for years. */
function readAttribution(
  request: ReceivedRequest,
  aliases: readonly string[],
  preset: AppliedPreset | undefined,
): CallFacts['attribution'] {
  return {
    httpReferer: stored(headerText(request, 'http-referer') ?? headerText(request, 'referer')),
    origin: stored(headerText(request, 'origin')),
    appTitle: stored(serviceHeader(request, 'title', aliases) ?? spokenHeader(request, 'x-title')),
    userAgent: stored(headerText(request, 'user-agent')),
    preset: preset?.slug,
    presetId: preset?.id,
  };
}

function stored(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cutText(text);
}
