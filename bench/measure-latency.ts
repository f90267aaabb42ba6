import { clientShot } from './client-request.ts';
import { compareRounds, type Figure, type PartResult } from './figures.ts';
import type { RunningGateway } from './gateways.ts';
import { median, percentile } from './statistics.ts';
import { progress, type Workbench } from './workbench.ts';

type Setting = 'alone' | 'alone_streamed' | 'half_load';

interface Phase {
  readonly setting: Setting;
  readonly gateway: string;
  readonly round: number;
  readonly answers: number;
  readonly offeredPerSecond: number | undefined;
  /** Milliseconds, through the gateway and without it, and the difference. */
  readonly p50: number;
  readonly p99: number;
  readonly directP50: number;
  readonly directP99: number;
  readonly addedP50: number;
  readonly addedP99: number;
  /** Cores that other processes of this machine used: noise. */
  readonly otherCpu: number;
}

interface Sample {
  readonly times: readonly number[];
  readonly otherCpu: number;
}

/** Many short phases: a stall of the machine then spoils one of them and not the median. */
const phasesPerRound = 2;
const secondsShare = 0.2;

const labels: Readonly<Record<Setting, string>> = {
  alone: 'added latency, one request at a time',
  alone_streamed: 'added time to first text, one stream at a time',
  half_load: 'added latency at half load',
};

/**
 * Measures what each gateway adds to the latency of the same answer straight from the upstream, in turns.
 * `maximum` is each gateway's own unstreamed throughput in requests a second; half load is half of that.
 */
export async function measureLatency(
  bench: Workbench,
  yardstick: RunningGateway,
  subject: RunningGateway,
  maximum: (gateway: RunningGateway) => number,
): Promise<PartResult> {
  await bench.follow('short');
  const phases: Phase[] = [];
  for (const setting of ['alone', 'alone_streamed', 'half_load'] as const) {
    for (let round = 1; round <= bench.effort.rounds * phasesPerRound; round += 1) {
      for (const gateway of [yardstick, subject]) {
        const rate = setting === 'half_load' ? maximum(gateway) / 2 : undefined;
        const direct = await times(bench, setting, bench.direct, round, rate);
        const through = await times(bench, setting, gateway, round, rate);
        phases.push(compare(setting, gateway.name, round, rate, direct, through));
      }
    }
    progress(`latency: ${setting} measured`);
  }
  const of = (setting: Setting, gateway: RunningGateway) =>
    phases.filter((phase) => phase.setting === setting && phase.gateway === gateway.name);
  return {
    figures: (['alone', 'alone_streamed', 'half_load'] as const).flatMap((setting) =>
      figures(setting, of(setting, yardstick), of(setting, subject)),
    ),
    phases,
    notes: [yardstick, subject].map((gateway) =>
      remark(gateway, maximum(gateway) / 2, of('alone', gateway), of('half_load', gateway)),
    ),
  };
}

/** What must be known about one gateway's latencies. */
function remark(
  gateway: RunningGateway,
  rate: number,
  alone: readonly Phase[],
  half: readonly Phase[],
): string {
  const through = median(alone.map((phase) => phase.p50)).toFixed(3);
  const direct = median(alone.map((phase) => phase.directP50)).toFixed(3);
  const others = median(half.map((phase) => phase.otherCpu));
  const disturbed =
    others >= 0.15 ? `; OTHER PROCESSES used ${(others * 100).toFixed(0)} % of a core: do not trust it` : '';
  return `latency, ${gateway.name}: one at a time p50 was ${through} ms, ${direct} ms of it without the gateway; half load was ${rate.toFixed(0)} requests/s${disturbed}`;
}

/** Latencies in milliseconds: of the whole answer, or for streams of the first text. */
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

function figures(setting: Setting, yardstick: readonly Phase[], subject: readonly Phase[]): Figure[] {
  return (['p50', 'p99'] as const).map((name) => {
    const added = (phase: Phase) => (name === 'p50' ? phase.addedP50 : phase.addedP99);
    return {
      key: `latency.${setting}.${name}`,
      label: `${labels[setting]}, ${name}`,
      unit: 'ms',
      better: 'lower',
      ...compareRounds(yardstick.map(added), subject.map(added)),
    };
  });
}
