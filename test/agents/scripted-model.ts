import { Secret } from '../../src/util/secret.ts';
import type { DialectScript, ScriptedAnswer, SeenRequest } from '../dialects/dialect-script.ts';
import { type ScriptedProvider, startScriptedProvider } from '../dialects/support/scripted-provider.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** A gateway whose one model does a small task by a script. */
export interface ScriptedModel {
  readonly gateway: TestGateway;
  readonly provider: ScriptedProvider;
  close(): Promise<void>;
}

/** The slug of the model. */
export const slug = 'acme/atlas-4';

/** Calls an agent's tool once, by what the request offers, and says that it is done when the result is there. */
export type Task = (request: SeenRequest) => ScriptedAnswer;

/**
 * Starts the model behind a provider of one dialect.
 * @param silence Milliseconds for which it says nothing before its first answer.
 */
export async function startScriptedModel(
  dialect: DialectScript,
  task: Task,
  silence = 0,
): Promise<ScriptedModel> {
  const provider = await startScriptedProvider(dialect);
  provider.play((request) => {
    const isFirst = !request.turns.some((turn) => 'output' in turn);
    return { ...dialect.answer(task(request), request.streamed), ...(isFirst && { delay: silence }) };
  });
  const served = providerOf({
    slug: 'north',
    name: 'NorthGPU',
    adapter: dialect.adapter,
    baseUrl: `${provider.url}${dialect.basePath ?? ''}`,
    apiKey: new Secret(dialect.credential.replaceAll('{url}', provider.url)),
    quirks: JSON.parse(JSON.stringify(dialect.provider ?? {}).replaceAll('{url}', provider.url)),
  });
  const model = modelOf(slug, [served], {
    contextLength: 200_000,
    maxCompletionTokens: 64_000,
    ...(dialect.model === undefined ? {} : { upstreamModel: dialect.model }),
  });
  const gateway = await startGateway({
    server: { keepAlive: 300 },
    models: [{ ...model, reasoning: { mandatory: false, supportsMaxTokens: true } }],
    config: {
      compat: {
        aliases: [],
        byokCreatedStatus: 200,
        unavailableTools: 'drop',
        claudeIds: true,
        closeStreams: false,
        echoModel: false,
        modelAliases: { 'claude-*': slug, 'gpt-*': slug },
      },
    },
  });
  return {
    gateway,
    provider,
    close: async () => {
      await gateway.stop();
      await provider.close();
    },
  };
}
