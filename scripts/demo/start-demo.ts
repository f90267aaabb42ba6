import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { ConfigState } from '../../src/config/config-state.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { hashKey } from '../../src/core/api-key.ts';
import { createLink, loginAddress } from '../../src/management/sessions/sessions.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openDatabase } from '../../src/process/open-database.ts';
import { startServer } from '../../src/server.ts';
import { openKeySource } from '../../src/vault/open-key-source.ts';
import { demoConfig } from './demo-config.ts';
import { type DemoAccount, seedDemo } from './seed.ts';

export interface Demo {
  readonly url: string;
  readonly storage: Storage;
  readonly accounts: readonly DemoAccount[];
  /** An address that logs in once as the operator. */
  readonly link: string;
  readonly configFile: string;
  stop(): Promise<void>;
}

/** Changes a few things as a person would, so that the audit log has entries and a provider has a credential. */
async function changeThings(url: string, [acme]: readonly DemoAccount[]): Promise<void> {
  const call = async (method: string, path: string, body: object): Promise<{ data?: { hash?: string } }> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${acme?.managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { data?: { hash?: string } };
  };
  const made = await call('POST', '/keys', { name: 'mobile-app', limit: 25, limit_reset: 'monthly' });
  await call('PATCH', `/keys/${made.data?.hash}`, {
    limit: 40,
    rates: { requests_per_minute: 600 },
  });
  await call('PATCH', `/keys/${'0'.repeat(64)}`, { disabled: true });
  await call('POST', '/byok', { provider: 'northgpu', key: 'demo-credential-of-acme-0001', name: 'eu' });
  await call('POST', '/byok', {
    provider: 'northgpu',
    key: 'demo-credential-of-acme-0002',
    name: 'batch',
    is_fallback: true,
    allowed_models: ['acme/atlas-4'],
    disabled: true,
  });
}

/** Calls every model twice for real, so that endpoints have a state and a speed. */
async function callModels(
  url: string,
  accounts: readonly DemoAccount[],
  models: readonly string[],
): Promise<void> {
  const key = accounts[0]?.keys['support-search'];
  const asked = models.filter((model) => !model.startsWith('sandbox/'));
  await Promise.all(
    [...asked, ...asked].map(async (model) => {
      const response = await fetch(`${url}/api/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Say something about rivers.', max_output_tokens: 60 }),
      });
      await response.arrayBuffer();
    }),
  );
}

/** A session as an agent has it, for a user: each request goes on where the one before called a tool. What is said is kept. */
async function runAgent(url: string, [acme]: readonly DemoAccount[]): Promise<void> {
  const post = async (path: string, key: string | undefined, body: object, method = 'POST') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as { readonly output?: readonly Record<string, unknown>[] };
  };
  const workspace = acme?.account.defaultWorkspaceId;
  const keeping = { is_observability_io_logging_enabled: true };
  await post(`/workspaces/${workspace}`, acme?.managementKey, keeping, 'PATCH');
  const items: Record<string, unknown>[] = [
    { type: 'message', role: 'user', content: 'Which of our pumps need a new seal before winter?' },
  ];
  for (const tool of ['list_pumps', 'read_log', undefined]) {
    const { output = [] } = await post('/responses', acme?.keys['ci-bot'], {
      model: 'initech/quill-tools',
      instructions: 'You look after the pumps of a canal. Answer in one sentence.',
      input: items,
      session_id: 'pump-review-7',
      user: 'user-mara',
      ...(tool !== undefined && {
        tools: [{ type: 'function', name: tool, parameters: { type: 'object', properties: {} } }],
      }),
    });
    items.push(...output);
    for (const { type, call_id } of output) {
      if (type !== 'function_call') continue;
      items.push({ type: 'function_call_output', call_id, output: '{"pumps":["P-3","P-9"]}' });
    }
  }
}

/** Starts a server with two weeks of invented traffic, in a folder that goes when it stops. */
export async function startDemo({
  port,
  calls,
  now = Date.now(),
}: {
  readonly port: number;
  readonly calls: number;
  readonly now?: number;
}): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-demo-'));
  const configFile = join(folder, 'headgate.yaml');
  writeFileSync(configFile, demoConfig(folder, port));
  const loaded = await loadConfig({ file: configFile, environment: {}, directory: folder });
  const { config } = loaded;
  const storage = await openDatabase(config, { reserveRoom: true });
  await storage.migrate();
  const accounts = await seedDemo(storage, { catalogue: config.catalogue, now, calls });
  const keys = openKeySource(folder, undefined);
  const configState = new ConfigState(loaded, {});
  const server = await startServer(config, { storage, keys, configState, log: pino({ level: 'silent' }) });
  server.open();
  await changeThings(server.url, accounts);
  await runAgent(server.url, accounts);
  await callModels(server.url, accounts, [...config.catalogue.models.keys()]);
  const [first] = accounts;
  if (first === undefined) throw new Error('the demonstration has no account');
  const services = { storage, clock: systemClock };
  const code = await createLink(hashKey(first.managementKey), 3_600_000, services);
  return {
    url: server.url,
    storage,
    accounts,
    link: loginAddress(server.url, code),
    configFile,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
