import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { loadConfig } from '../../src/config/load-config.ts';
import { hashKey } from '../../src/core/api-key.ts';
import { createLink, loginAddress } from '../../src/operations/sessions/create-link.ts';
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
  const { config } = await loadConfig({ file: configFile, environment: {}, directory: folder });
  const storage = await openDatabase(config, { reserveRoom: true });
  await storage.migrate();
  const accounts = await seedDemo(storage, { catalogue: config.catalogue, now, calls });
  const keys = openKeySource(folder, undefined);
  const server = await startServer(config, { storage, keys, log: pino({ level: 'silent' }) });
  server.open();
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
