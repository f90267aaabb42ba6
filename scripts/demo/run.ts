/** `npm run demo [-- --port 8484 --calls 6000]`: a server with three accounts, two weeks of invented traffic and some that goes on. */
import { parseArgs } from 'node:util';
import { buildDashboard } from '../dashboard-build.ts';
import { demoModels } from './demo-config.ts';
import { furnish } from './furnish.ts';
import { keepBusy } from './keep-busy.ts';
import { startDemo } from './start-demo.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '8484' }, calls: { type: 'string', default: '6000' } },
});
await buildDashboard();
console.log(`Making ${values.calls} calls of two weeks …`);
const demo = await startDemo({ port: Number(values.port), calls: Number(values.calls) });
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
