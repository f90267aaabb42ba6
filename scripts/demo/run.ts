/**
 * `npm run demo [-- --port 8484 --calls 6000]`: a server with three accounts, two weeks of invented traffic and some that goes
 * on. HEADGATE_PORT names the port too.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { buildDashboard } from '../dashboard-build.ts';
import { demoModels } from './demo-config.ts';
import { furnish } from './furnish.ts';
import { keepBusy } from './keep-busy.ts';
import { startDemo } from './start-demo.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.HEADGATE_PORT ?? '8484' },
    calls: { type: 'string', default: '6000' },
  },
});
const port = Number(values.port);
await refuseUsedPort(port);
await buildDashboard();
console.log(`Making ${values.calls} calls of two weeks …`);
const demo = await startDemo({ port, calls: Number(values.calls) });
await furnish(demo);
const traffic = keepBusy(demo, demoModels);
const [acme, ...others] = demo.accounts;
const lines = [
  '',
  `The demonstration runs at ${demo.url}. Everything in it is invented, and gone when it stops (Ctrl C).`,
  '',
  `  Log in as operator      ${demo.link}`,
  ...[acme, ...others].map((one) => `  ${`Manage ${one?.account.name}`.padEnd(22)}  ${one?.managementKey}`),
  `  As a key holder         ${acme?.keys['ci-bot']}`,
  '',
];
console.log(lines.join('\n'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    traffic.stop();
    void demo.stop().then(() => process.exit(0));
  });
}

/** Ends with one line where the port cannot be had, before the minute that the traffic takes to make. */
async function refuseUsedPort(wanted: number): Promise<void> {
  try {
    const server = createServer().listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    console.error(
      `The demonstration cannot listen on port ${values.port} (${reason}); choose another with --port.`,
    );
    process.exit(1);
  }
}
