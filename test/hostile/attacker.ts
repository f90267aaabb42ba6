import type { Target } from './attack.ts';
import { attacks } from './attacks.ts';
import { giveWay } from './end-with-us.ts';

giveWay();

process.once('message', async ({ name, target }: { readonly name: string; readonly target: Target }) => {
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`there is no attack "${name}"`);
  const counts: Record<string, number> = {};
  const controller = new AbortController();
  const end = setTimeout(() => controller.abort(), target.seconds * 1000);
  // Whatever an attack still waits for is given up a little later.
  setTimeout(report, target.seconds * 1000 + (attack.patience ?? 1_500)).unref();
  await attack.run({
    ...target,
    signal: controller.signal,
    count: (what, by = 1) => {
      counts[what] = (counts[what] ?? 0) + by;
    },
  });
  clearTimeout(end);
  report();

  function report(): void {
    process.send?.(counts, () => process.exit(0));
  }
});
