import assert from 'node:assert/strict';
import { findProviderRow } from '../../../src/catalogue/provider-rows.ts';
import type { Model, Provider } from '../../../src/core/catalogue.ts';
import { Secret } from '../../../src/util/secret.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../../support/catalogue.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of several dialects.
export type Body = any;

/** A gateway before a provider of each dialect, and of each row that takes less than its dialect has. */
export interface AskedProviders {
  readonly gateway: TestGateway;
  /** Asks at a door; the address of the door behind `/api/v1/`. */
  ask(door: string, model: string, request: object, headers?: Record<string, string>): Promise<Response>;
  /** What the provider of a model is sent for a request at a door; fails when it is sent nothing. */
  sent(door: string, model: string, request: object): Promise<Body>;
  /** How many requests providers have been sent. */
  readonly count: number;
  /** What providers answer from now on; they refuse everything until then and after `refuse`. */
  play(script: Script): void;
  refuse(): void;
  close(): Promise<void>;
}

/** Parameters of a function with nothing that a provider could refuse. */
export const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: [] };

/** A whole answer of a provider. */
export const json = (value: object): Script => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify(value)],
});

const refused: Script = {
  ...json({ error: { message: 'no', type: 'invalid_request_error' } }),
  status: 400,
};

/** Starts them. */
export async function askProviders(): Promise<AskedProviders> {
  const upstream = await startFakeUpstream(refused);
  const gateway = await startGateway({ models: modelsAt(upstream) });
  const ask: AskedProviders['ask'] = (door, model, request, headers = {}) =>
    fetch(`${gateway.url}/api/v1/${door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...headers },
      body: JSON.stringify({ model, ...request }),
    });
  return {
    gateway,
    ask,
    async sent(door, model, request) {
      const before = upstream.requests.length;
      const text = await (await ask(door, model, request)).text();
      assert.equal(upstream.requests.length, before + 1, text);
      return upstream.requests[before]?.body;
    },
    get count() {
      return upstream.requests.length;
    },
    play: (script) => upstream.play(script),
    refuse: () => upstream.play(refused),
    async close() {
      await gateway.stop();
      await upstream.close();
    },
  };
}

function modelsAt(upstream: FakeUpstream): readonly Model[] {
  const baseUrl = `${upstream.url}/v1`;
  const at = (id: string, provider: Provider): Model => modelOf(id, [provider]);
  const builtIn = (slug: string): Provider => {
    const row = findProviderRow(slug);
    assert.ok(row);
    return providerOf({ slug, adapter: row.adapter, quirks: row.quirks ?? {}, baseUrl });
  };
  return [
    at('openai/gpt-5.2', builtIn('openai')),
    at('openai/gpt-6-sol', builtIn('openai')),
    at('acme/responses', providerOf({ slug: 'responses', adapter: 'openai-responses', baseUrl })),
    at('acme/chat', providerOf({ slug: 'chat', baseUrl })),
    at('acme/gemini-3-pro', providerOf({ slug: 'compatible', baseUrl })),
    at('ollama/qwen3', builtIn('ollama')),
    at('local/qwen3', providerOf({ slug: 'local', baseUrl, discovers: true })),
    at(
      'lenient/qwen3',
      providerOf({ slug: 'lenient', baseUrl, discovers: true, quirks: { system_messages: 'any' } }),
    ),
    at('mistral/mistral-small-latest', builtIn('mistral')),
    at('acme/claude-sonnet-4.5', providerOf({ slug: 'claude', adapter: 'anthropic-messages', baseUrl })),
    modelOf(
      'acme/claude-opus-4.5',
      [providerOf({ slug: 'strict-claude', adapter: 'anthropic-messages', baseUrl })],
      { supportedParameters: new Set(['tools', 'tool_choice', 'structured_outputs', 'response_format']) },
    ),
    ...(['eu.anthropic.claude-sonnet-4-5-v1:0', 'anthropic.claude-3-haiku-20240307-v1:0'] as const).map(
      (upstreamModel, index) =>
        modelOf(
          index === 0 ? 'bedrock/claude-sonnet-4.5' : 'bedrock/claude-3-haiku',
          [
            providerOf({
              slug: `bedrock-${index}`,
              adapter: 'amazon-bedrock',
              baseUrl: upstream.url,
              apiKey: new Secret('bedrock-key-0123456789'),
            }),
          ],
          { upstreamModel },
        ),
    ),
    at('google/gemini-2.5-flash', providerOf({ slug: 'gemini-before', adapter: 'google-gemini', baseUrl })),
    at(
      'acme/claude-3-7-sonnet',
      providerOf({ slug: 'claude-before', adapter: 'anthropic-messages', baseUrl }),
    ),
    at('google/gemini-3-pro', providerOf({ slug: 'gemini', adapter: 'google-gemini', baseUrl })),
  ];
}
