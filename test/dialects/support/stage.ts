import assert from 'node:assert/strict';
import type { FeatureSupport } from '../../../src/core/features.ts';
import { createUpstreamRegistry } from '../../../src/upstream/registry.ts';
import { createTransport } from '../../../src/upstream/wire/transport.ts';
import { Secret } from '../../../src/util/secret.ts';
import type { WireEvent } from '../../stream-checker.ts';
import { modelOf, providerOf } from '../../support/catalogue.ts';
import { checkContract } from '../../support/contract.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../../support/gateway.ts';
import { parseStream } from '../../support/read-stream.ts';
import type { DialectScript, ScriptedAnswer, SeenRequest } from '../dialect-script.ts';
import {
  type Delivery,
  type Play,
  type ScriptedProvider,
  startScriptedProvider,
} from './scripted-provider.ts';

/** What a client got. */
export interface Got {
  readonly status: number;
  readonly headers: Headers;
  /** The response object, or the error body. */
  // biome-ignore lint/suspicious/noExplicitAny: each behaviour looks at the members it is about.
  readonly body: any;
  /** Of a streamed answer. */
  readonly events: readonly WireEvent[];
  /** Keep-alives between them. */
  readonly comments: readonly string[];
  /** The text of all messages. */
  readonly text: string;
}

/** One dialect on the stage: a provider that speaks it, and a gateway in front. */
export interface Stage {
  readonly dialect: DialectScript;
  readonly provider: ScriptedProvider;
  readonly gateway: TestGateway;
  readonly support: FeatureSupport;
  /** Plays answers of the script, one a request; the last one stays. */
  say(...answers: readonly (ScriptedAnswer | ((request: SeenRequest) => ScriptedAnswer))[]): void;
  /** Plays answers as bytes. */
  deliver(...plays: readonly (Delivery | Play)[]): void;
  /** Sends a request; fields given replace the defaults: the dialect's model, and a greeting as input. */
  ask(body?: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<Got>;
  /** What arrived with the newest request. */
  readonly lastSeen: SeenRequest;
}

/** The model of the dialect under test. */
const modelId = 'acme/atlas-4';

/** Sets the stage for a dialect. */
export async function setStage(
  dialect: DialectScript,
  config?: GatewayOptions['config'],
): Promise<Stage & { readonly strike: () => Promise<void> }> {
  const provider = await startScriptedProvider(dialect);
  const served = providerOf({
    slug: 'north',
    name: 'NorthGPU',
    adapter: dialect.adapter,
    baseUrl: `${provider.url}${dialect.basePath ?? ''}`,
    apiKey: new Secret(dialect.credential.replaceAll('{url}', provider.url)),
    quirks: JSON.parse(JSON.stringify(dialect.provider ?? {}).replaceAll('{url}', provider.url)),
  });
  const model = modelOf(
    modelId,
    [served],
    dialect.model === undefined ? {} : { upstreamModel: dialect.model },
  );
  const rich = {
    ...model,
    inputModalities: ['text', 'image', 'file', 'audio', 'video'] as const,
    outputModalities: ['text', 'image'] as const,
    reasoning: { mandatory: false, supportsMaxTokens: true },
  };
  // So long that on no machine a comment turns a refusal into a stream that fails.
  const gateway = await startGateway({ models: [rich], server: { keepAlive: 60_000 }, config });
  const upstream = createUpstreamRegistry({ transport: createTransport() }).get(dialect.adapter);
  assert.ok(upstream, `no adapter ${dialect.adapter}`);
  const script =
    (answer: ScriptedAnswer | ((request: SeenRequest) => ScriptedAnswer)): Play =>
    (request) =>
      dialect.answer(typeof answer === 'function' ? answer(request) : answer, request.streamed);
  return {
    dialect,
    provider,
    gateway,
    support: upstream.support(served, model.endpoints[0]?.upstreamModel),
    say: (...answers) => provider.play(...answers.map(script)),
    deliver: (...plays) =>
      provider.play(...plays.map((play) => (typeof play === 'function' ? play : () => play))),
    ask: (body = {}, headers = {}) => ask(gateway, { model: modelId, input: 'Hello', ...body }, headers),
    get lastSeen() {
      const last = provider.seen.at(-1);
      assert.ok(last, 'no request arrived');
      return last;
    },
    strike: async () => {
      await gateway.stop();
      await provider.close();
    },
  };
}

async function ask(
  gateway: TestGateway,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Promise<Got> {
  const response = await gateway.post(body, headers);
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const raw = await response.text();
  const { status, headers: answered } = response;
  if (streamed) {
    const { events, terminal, comments } = parseStream(raw);
    return { status, headers: answered, body: terminal, events, comments, text: textOf(terminal) };
  }
  const parsed = JSON.parse(raw);
  checkContract(status === 200 ? 'OpenResponsesResult' : 'BadRequestResponse', parsed);
  return {
    status,
    headers: answered,
    body: parsed,
    events: [],
    comments: [],
    text: status === 200 ? textOf(parsed) : '',
  };
}

function textOf(response: { readonly output?: unknown }): string {
  const items = (response.output ?? []) as { type: string; content?: { text?: string }[] }[];
  const messages = items.filter(({ type }) => type === 'message');
  return messages.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join('');
}
