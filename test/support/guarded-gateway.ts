import type { Model, Provider } from '../../src/core/catalogue.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { type ApiAnswer, callApi } from './call-api.ts';
import { modelOf, providerOf } from './catalogue.ts';
import { type GatewayOptions, startGateway, type TestGateway } from './gateway.ts';

/** A gateway for tests of guardrails, with a management key and a provider whose requests are seen. */
export interface GuardedGateway {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  /** Calls the management interface. */
  manage(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Sends a prompt, or a body, and asks for routing metadata. */
  ask(prompt: string | object, key?: string, path?: string): Promise<ApiAnswer>;
  /** Creates a guardrail and, where keys or members are named, assigns it; returns its id. */
  guard(
    rules: object,
    to?: { readonly keys?: readonly string[]; readonly members?: readonly string[] },
  ): Promise<string>;
  stop(): Promise<void>;
}

/** What a test may change about it. */
export interface GuardedOptions extends Omit<Partial<GatewayOptions>, 'models'> {
  readonly models?: (provider: Provider) => readonly Model[];
  readonly managementKey?: Partial<ApiKey>;
}

/** Starts a gateway with a provider of the model `acme/atlas-4`. */
export async function startGuarded({ models, ...options }: GuardedOptions = {}): Promise<GuardedGateway> {
  const upstream = await startFakeUpstream({ steps: chatStream('Good ', 'day.') });
  const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const south = providerOf({ slug: 'south', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: models?.(provider) ?? [modelOf('acme/atlas-4', [provider])],
    providers: [south],
    ...options,
  });
  const management = await gateway.createKey({
    kind: 'management',
    workspaceId: null,
    ...options.managementKey,
  });
  const manage: GuardedGateway['manage'] = (method, path, body) =>
    callApi(gateway, management, method, path, body);
  return {
    gateway,
    upstream,
    manage,
    async ask(prompt, key = gateway.key, path = 'responses') {
      const body = typeof prompt === 'string' ? { input: prompt } : prompt;
      const response = await fetch(`${gateway.url}/api/v1/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${key}`,
          'x-service-metadata': 'enabled',
        },
        body: JSON.stringify({ model: 'acme/atlas-4', ...body }),
      });
      const text = await response.text();
      const { status, headers } = response;
      return { status, headers, text, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
    async guard(rules, { keys = [], members = [] } = {}) {
      const made = await manage('POST', '/guardrails', { name: 'test', ...rules });
      if (made.status !== 201) throw new Error(made.text);
      const { id } = made.body.data;
      const assign = async (kind: string, body: object) => {
        const { status, text } = await manage('POST', `/guardrails/${id}/assignments/${kind}`, body);
        if (status !== 200) throw new Error(text);
      };
      if (keys.length > 0) await assign('keys', { key_hashes: keys });
      if (members.length > 0) await assign('members', { member_user_ids: members });
      return id;
    },
    async stop() {
      await gateway.stop();
      await upstream.close();
    },
  };
}
