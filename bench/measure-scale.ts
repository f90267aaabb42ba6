import { join } from 'node:path';
import { bottleneck, driveInTurns } from './drive.ts';
import type { PartResult } from './figures.ts';
import { fillKeys } from './fill-keys.ts';
import type { RunningGateway } from './gateways.ts';
import { type HeadgateSettings, headgateWith } from './headgate.ts';
import { residentBytes } from './process-meter.ts';
import { requestFigures } from './request-figures.ts';
import { progress, type Workbench } from './workbench.ts';

const few = { models: 10, keys: 10 };
const many = { models: 10_000, keys: 1_000_000 };

/** What is compared with the small installation. */
interface Case {
  readonly key: string;
  readonly label: string;
  readonly gateway: RunningGateway;
}

/**
 * Measures whether a request costs more in a large installation: three gateways with different numbers of configured
 * models and stored keys, loaded in turns with unstreamed requests. Models are requested at random with equal
 * probability. Many keys are measured twice: with the same ten in use as in the small installation, and with all of
 * them at random, so that almost every request is the first of its key.
 */
export async function measureScale(bench: Workbench): Promise<PartResult> {
  const [small, manyModels, manyKeys] = [
    await startWith(bench, `${few.models} models, ${few.keys} keys`, few.models, few.keys),
    await startWith(bench, `${many.models} models`, many.models, few.keys),
    await startWith(bench, `${many.keys} keys`, few.models, many.keys),
  ];
  const allInUse = useAll(manyKeys);
  const cases: readonly Case[] = [
    { key: 'models', label: `${grouped(many.models)} models, not ${few.models}`, gateway: manyModels },
    { key: 'keys', label: `${grouped(many.keys)} keys, not ${few.keys}; the same in use`, gateway: manyKeys },
    {
      key: 'keys_all_in_use',
      label: `${grouped(many.keys)} keys, not ${few.keys}; all in use`,
      gateway: allInUse,
    },
  ];
  const gateways = [small, ...cases.map(({ gateway }) => gateway)];
  const phases = await driveInTurns(bench, { part: 'scale', kind: 'unstreamed', share: 0.5 }, gateways);
  const notes = gateways.map(({ name, pid }, at) => {
    const resident = pid === undefined ? '' : `, ${(residentBytes(pid) / 1e6).toFixed(0)} MB resident`;
    return `scale, ${name}: ${bottleneck(phases[at] ?? [])}${resident}`;
  });
  for (const gateway of [small, manyModels, manyKeys]) await gateway.stop();
  return {
    sides: { yardstick: 'small', subject: 'large' },
    figures: cases.flatMap(({ key, label }, at) =>
      requestFigures(`scale.${key}`, label, [phases[0] ?? [], phases[at + 1] ?? []]),
    ),
    phases: phases.flat(),
    notes,
  };
}

async function startWith(
  bench: Workbench,
  name: string,
  models: number,
  keys: number,
): Promise<RunningGateway> {
  const databaseFile = join(bench.directory, `keys-${name.replaceAll(/\W+/g, '-')}.db`);
  const began = performance.now();
  await fillKeys(databaseFile, keys, few.keys);
  const filled = performance.now();
  const settings: HeadgateSettings = { name, models, keys: { databaseFile, inUse: few.keys } };
  const running = await bench.start(headgateWith(settings));
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
  progress(
    `scale: ${name}, filled in ${seconds(began, filled)} s, ready in ${seconds(filled, performance.now())} s`,
  );
  return running;
}

/** The same gateway, called with every key of its database. */
function useAll(gateway: RunningGateway): RunningGateway {
  return {
    ...gateway,
    name: `${gateway.name}, all in use`,
    varies: (gateway.varies ?? []).map((one) =>
      one.after.includes('key') ? { ...one, count: many.keys } : one,
    ),
  };
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
