import { clientShot } from './client-request.ts';
import { warmUpFor } from './drive.ts';
import { compareRounds, type Figure, type PartResult } from './figures.ts';
import type { RunningGateway } from './gateways.ts';
import { type Lineup, members, roundsOf, sidesOf } from './lineup.ts';
import { median, percentile } from './statistics.ts';
import { progress, type Workbench } from './workbench.ts';

/** How requests arrive. */
export type Setting = 'alone' | 'alone_streamed' | 'half_load';

interface Phase {
  readonly setting: Setting;
  readonly gateway: string;
  readonly round: number;
  readonly answers: number;
  readonly offeredPerSecond: number | undefined;
  /** Milliseconds, with the gateway and without it, and the difference. */
  readonly p50: number;
  readonly p99: number;
  readonly directP50: number;
  readonly directP99: number;
  readonly addedP50: number;
  readonly addedP99: number;
  /** Cores used by other processes of this machine: noise. */
  readonly otherCpu: number;
}

interface Sample {
  readonly times: readonly number[];
  readonly otherCpu: number;
}

/** Many short phases, so that a pause of the machine affects one of them and not the median. */
const phasesPerRound = 2;
const secondsShare = 0.2;

const labels: Readonly<Record<Setting, string>> = {
  alone: 'added latency, one request at a time',
  alone_streamed: 'added time to first text, one stream at a time',
  half_load: 'added latency at half load',
};

/** The settings that a part measures, the names of its figures, and each gateway's unstreamed maximum. */
export interface LatencyPlan {
  readonly settings: readonly Setting[];
  /** The prefix of the keys of its figures. */
  readonly key: string;
  /** Whether databases of the gateways run beside, which are not noise. */
  readonly hasServers?: boolean;
  /** Requests per second; half load is half of that. */
  maximum(gateway: RunningGateway): number;
}

/** Measures in turns what each gateway adds to the latency of the same answer directly from the upstream. */
export async function measureLatency(
  bench: Workbench,
  lineup: Lineup,
  plan: LatencyPlan,
): Promise<PartResult> {
  const gateways = members(lineup);
  const { settings, key, maximum } = plan;
  for (const gateway of gateways) {
    await warmUpFor(bench, 'unstreamed', gateway);
    if (settings.includes('alone_streamed')) await warmUpFor(bench, 'streamed', gateway);
  }
  await bench.follow('short');
  const phases: Phase[] = [];
  for (const setting of settings) {
    for (let round = 1; round <= bench.effort.rounds * phasesPerRound; round += 1) {
      // Shared by all members of a round with the same rate.
      const straight = new Map<number | undefined, Sample>();
      for (const gateway of gateways) {
        const rate = setting === 'half_load' ? maximum(gateway) / 2 : undefined;
        const direct = straight.get(rate) ?? (await times(bench, setting, bench.direct, round, rate));
        straight.set(rate, direct);
        const through = await times(bench, setting, gateway, round, rate);
        phases.push(compare(setting, gateway.name, round, rate, direct, through));
      }
    }
    progress(`${key}: ${setting} measured`);
  }
  const of = (setting: Setting, gateway: RunningGateway) =>
    phases.filter((phase) => phase.setting === setting && phase.gateway === gateway.name);
  return {
    sides: sidesOf(lineup),
    figures: settings.flatMap((setting) =>
      figures(
        key,
        setting,
        gateways.map((gateway) => of(setting, gateway)),
      ),
    ),
    phases: phases.map((phase) => ({ part: key, ...phase })),
    notes: gateways.map((gateway) => remark(plan, gateway, of('alone', gateway), of('half_load', gateway))),
  };
}

/** What must be known about one gateway's latencies. */
function remark(
  { key, hasServers = false, maximum }: LatencyPlan,
  gateway: RunningGateway,
  alone: readonly Phase[],
  half: readonly Phase[],
): string {
  const through = median(alone.map((phase) => phase.p50)).toFixed(3);
  const direct = median(alone.map((phase) => phase.directP50)).toFixed(3);
  const others = median(half.map((phase) => phase.otherCpu));
  const disturbed =
    others >= 0.15 && !hasServers
      ? `; OTHER PROCESSES used ${(others * 100).toFixed(0)} % of a core: do not trust it`
      : '';
  return `${key}, ${gateway.name}: one at a time p50 was ${through} ms, ${direct} ms of it without the gateway; half load was ${(maximum(gateway) / 2).toFixed(0)} requests/s${disturbed}`;
}

/** Latencies in milliseconds: of the complete answer, or for streams of the first text. */
async function times(
  bench: Workbench,
  setting: Setting,
  gateway: RunningGateway,
  round: number,
  rate: number | undefined,
): Promise<Sample> {
  const streamed = setting === 'alone_streamed';
  const shot = clientShot(gateway, streamed);
  const seconds = bench.effort.seconds * secondsShare;
  const result = await bench.load(
    gateway,
    `latency ${setting}`,
    rate === undefined
      ? { kind: 'closed', shot, connections: 1, seconds, keepTimes: true }
      : { kind: 'paced', shot, arrivals: { perSecond: rate, seconds, seed: round } },
  );
  return {
    times: streamed ? result.firstTextTimes : result.wholeTimes,
    otherCpu: result.cpu.otherSeconds / result.cpu.wallSeconds,
  };
}

function compare(
  setting: Setting,
  gateway: string,
  round: number,
  rate: number | undefined,
  direct: Sample,
  through: Sample,
): Phase {
  const [p50, p99] = [percentile(through.times, 0.5), percentile(through.times, 0.99)];
  const [directP50, directP99] = [percentile(direct.times, 0.5), percentile(direct.times, 0.99)];
  return {
    setting,
    gateway,
    round,
    answers: through.times.length,
    offeredPerSecond: rate,
    p50,
    p99,
    directP50,
    directP99,
    addedP50: p50 - directP50,
    addedP99: p99 - directP99,
    otherCpu: through.otherCpu,
  };
}

function figures(key: string, setting: Setting, phases: readonly (readonly Phase[])[]): Figure[] {
  return (['p50', 'p99'] as const).map((name) => {
    const added = (some: readonly Phase[]) =>
      some.map((phase) => (name === 'p50' ? phase.addedP50 : phase.addedP99));
    return {
      key: `${key}.${setting}.${name}`,
      label: `${labels[setting]}, ${name}`,
      unit: 'ms',
      better: 'lower',
      ...compareRounds(roundsOf(phases, added)),
    };
  });
}
