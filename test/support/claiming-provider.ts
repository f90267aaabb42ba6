import type { Endpoint, Model, Price } from '../../src/core/catalogue.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { Secret } from '../../src/util/secret.ts';
import type { DialectScript, ScriptedAnswer, WireAnswer } from '../dialects/dialect-script.ts';
import { type ScriptedProvider, startScriptedProvider } from '../dialects/support/scripted-provider.ts';
import { binaryEvent } from './binary-message.ts';
import { modelOf, providerOf } from './catalogue.ts';
import { type GatewayOptions, startGateway, type TestGateway } from './gateway.ts';

/** What a provider claims beside its answer. */
export interface Claims {
  /** Members of every usage object that it sends, over those it would send. */
  readonly usage?: JsonObject;
  /** Searches that the answer shows, in dialects that count what is shown. */
  readonly shown?: number;
}

/** A gateway before one provider that claims what a test wants. */
export interface ClaimingWorld extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly provider: ScriptedProvider;
  /** What it answers from now on. */
  claim(claims: Claims, answer?: ScriptedAnswer): void;
}

/** What the provider says, and what it honestly counts. */
export const plainAnswer: ScriptedAnswer = {
  utterances: [{ say: ['Good ', 'day.'] }],
  finish: 'stop',
  usage: { input: 9, output: 2 },
};

/** Starts one for a dialect; the model is `acme/atlas-4` at the provider `north`. */
export async function startClaiming(
  dialect: DialectScript,
  price: Price,
  { endpoint, model, quirks, slug = 'north', ...options }: ClaimingSettings = {},
): Promise<ClaimingWorld> {
  const provider = await startScriptedProvider(dialect);
  const north = providerOf({
    slug,
    adapter: dialect.adapter,
    baseUrl: `${provider.url}${dialect.basePath ?? ''}`,
    apiKey: new Secret(dialect.credential.replaceAll('{url}', provider.url)),
    quirks: {
      ...JSON.parse(JSON.stringify(dialect.provider ?? {}).replaceAll('{url}', provider.url)),
      ...quirks,
    },
  });
  const named = dialect.model === undefined ? {} : { upstreamModel: dialect.model };
  const served = modelOf('acme/atlas-4', [north], { ...named, price, ...endpoint });
  const gateway = await startGateway({ ...options, models: [{ ...served, ...model }] });
  return {
    gateway,
    provider,
    claim: (claims, answer = plainAnswer) =>
      provider.play(({ streamed }) => withClaims(dialect.answer(answer, streamed), claims)),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await provider.close();
    },
  };
}

export interface ClaimingSettings extends Omit<GatewayOptions, 'models'> {
  readonly endpoint?: Partial<Endpoint>;
  readonly model?: Partial<Model>;
  readonly quirks?: JsonObject;
  /** Of the provider; own credentials need one that is known. */
  readonly slug?: string;
}

function withClaims(answer: WireAnswer, claims: Claims): WireAnswer {
  if (answer.headers['content-type']?.includes('eventstream') === true) {
    // Of this framing the counts are the last event.
    return {
      ...answer,
      body: [...answer.body.slice(0, -1), binaryEvent('metadata', { usage: claims.usage })],
    };
  }
  const text = Buffer.concat(answer.body).toString();
  if (!/^(event|data|:)/.test(text)) return { ...answer, body: [Buffer.from(changed(text, claims))] };
  const lines = text.split('\n').map((line) => {
    return line.startsWith('data: {') ? `data: ${changed(line.slice(6), claims)}` : line;
  });
  return { ...answer, body: [Buffer.from(lines.join('\n'))] };
}

function changed(text: string, claims: Claims): string {
  // Numbers that JSON has and JavaScript writes otherwise stay as they are.
  return JSON.stringify(claimIn(JSON.parse(text), claims));
}

function claimIn(value: unknown, claims: Claims): unknown {
  if (Array.isArray(value)) return value.map((entry) => claimIn(entry, claims));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const isUsage = (name === 'usage' || name === 'usageMetadata') && isObject(member);
    return [name, isUsage ? merged(member, claims.usage ?? {}) : claimIn(member, claims)];
  });
  return { ...Object.fromEntries(entries), ...shownIn(value, claims.shown ?? 0) };
}

/** Searches that an answer shows: queries of a grounded candidate, or items of a response. */
function shownIn(value: JsonObject, shown: number): JsonObject {
  if (shown === 0) return {};
  if ('finishReason' in value) {
    return {
      groundingMetadata: { webSearchQueries: Array.from({ length: shown }, (_, at) => `tide ${at}`) },
    };
  }
  if (value.object !== 'response' || value.status !== 'completed' || !Array.isArray(value.output)) return {};
  const items = Array.from({ length: shown }, (_, at) => ({
    type: 'web_search_call',
    id: `ws_${at}`,
    status: 'completed',
    action: { type: 'search', query: `tide ${at}` },
  }));
  return { output: [...value.output, ...items] };
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const entries = Object.entries(other).map(([name, value]) => {
    const before = one[name];
    return [name, isObject(value) && isObject(before) ? merged(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(entries) };
}
