import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { headgate } from '../../scripts/chaos/accounts.ts';
import { Gateway, type GatewayPlace } from '../../scripts/chaos/gateway.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Scene } from './run.ts';

/** Which random calls are made: as many times as wanted the same ones with HEADGATE_SEED. */
export const seed = Number(process.env.HEADGATE_SEED ?? 7919);

/** So many processes on a database and, where there are several, a Redis; all is closed after the test. */
export async function setScene(
  t: TestContext,
  count: number,
  engines: GatewayPlace['engines'],
): Promise<Scene> {
  const folder = temporaryFolder();
  const [database, redis] = engines.map((engine) => engine.url());
  const storage = await openStorage(database ?? '', { acquireTimeout: 30_000, statementTimeout: 30_000 });
  t.after(() => storage.close());
  await storage.migrate();
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    HEADGATE_DATABASE_URL: database,
    HEADGATE_REDIS_URL: redis,
    HEADGATE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  return {
    storage,
    start: async (config) => {
      // Commands read it too.
      writeFileSync(join(folder, 'headgate.yaml'), config);
      const gateways: Gateway[] = [];
      for (let number = 1; number <= count; number += 1) {
        const name = `gateway-${number}`;
        const gateway = await Gateway.create({ name, folder, config, env, engines, disturbable: false });
        t.after(() => gateway.close());
        gateways.push(gateway);
      }
      await Promise.all(gateways.map((gateway) => gateway.start()));
      return gateways;
    },
    headgate: (...args) => headgate(env, folder, ...args),
  };
}
