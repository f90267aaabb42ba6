import { clientShot } from './client-request.ts';
import { compareRounds, type Figure, type PartResult } from './figures.ts';
import type { RunningGateway } from './gateways.ts';
import { contentChunks } from './scripted-answers.ts';
import { median } from './statistics.ts';
import { type MeteredResult, progress, type Workbench } from './workbench.ts';

/** A kind of load that is driven as fast as the gateway answers. */
export type ThroughputPart = 'unstreamed' | 'streamed' | 'events';

interface Phase {
  readonly part: ThroughputPart;
  readonly gateway: string;
  readonly round: number;
  readonly requestsPerSecond: number;
  /** Server-sent events a client saw in one answer, on average. */
  readonly clientEventsPerAnswer: number;
  /** Whether every answer cost a connection, because the gateway closes them. */
  readonly closesConnections: boolean;
  /** CPU time of the gateway; undefined when its process is not known. */
  readonly cpuMicrosecondsPerRequest: number | undefined;
  /** Cores used, 0 to 1 unless a process uses several. */
  readonly gatewayCpu: number | undefined;
  readonly loadSideCpu: number;
  /** Cores that other processes of this machine used: noise. */
  readonly otherCpu: number;
}

/** Optimized code is what counts in a server: by then its compilers have seen it all. */
const warmUp = { seconds: 8, atMost: 8000 };

/** Measures how many answers a second each gateway gives, in turns, on kept-alive connections. */
export async function measureThroughput(
  bench: Workbench,
  part: ThroughputPart,
  yardstick: RunningGateway,
  subject: RunningGateway,
): Promise<PartResult> {
  const { rounds, seconds } = bench.effort;
  await bench.follow(part === 'events' ? 'long' : 'short');
  const ceiling = await drive(bench, part, bench.direct, 0, { seconds: seconds / 2 });
  for (const gateway of [yardstick, subject]) await drive(bench, part, gateway, 0, warmUp);
  const phases: Phase[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const gateway of [yardstick, subject]) {
      const phase = await drive(bench, part, gateway, round, { seconds });
      progress(
        `${part} ${round}/${rounds} ${gateway.name}: ${phase.requestsPerSecond.toFixed(0)} requests/s`,
      );
      phases.push(phase);
    }
  }
  const of = (gateway: RunningGateway) => phases.filter((phase) => phase.gateway === gateway.name);
  return {
    figures: figures(part, of(yardstick), of(subject)),
    phases,
    notes: [
      `${part}: the load side alone, without a gateway, does ${ceiling.requestsPerSecond.toFixed(0)} requests/s`,
      ...[yardstick, subject].map((gateway) => `${part}, ${gateway.name}: ${bottleneck(of(gateway))}`),
    ],
  };
}

async function drive(
  bench: Workbench,
  part: ThroughputPart,
  gateway: RunningGateway,
  round: number,
  until: { readonly seconds: number; readonly atMost?: number },
): Promise<Phase> {
  const result: MeteredResult = await bench.load(gateway, `${part} round ${round}`, {
    kind: 'closed',
    shot: clientShot(gateway, part !== 'unstreamed'),
    connections: part === 'events' ? Math.ceil(bench.effort.connections / 4) : bench.effort.connections,
    ...until,
    keepTimes: false,
  });
  const { cpu } = result;
  return {
    part,
    gateway: gateway.name,
    round,
    requestsPerSecond: result.answers / result.seconds,
    clientEventsPerAnswer: result.events / result.answers,
    closesConnections: result.closed === result.answers,
    cpuMicrosecondsPerRequest:
      cpu.gatewaySeconds === undefined ? undefined : (cpu.gatewaySeconds * 1e6) / result.answers,
    gatewayCpu: cpu.gatewaySeconds === undefined ? undefined : cpu.gatewaySeconds / cpu.wallSeconds,
    loadSideCpu: cpu.loadSeconds / cpu.wallSeconds,
    otherCpu: cpu.otherSeconds / cpu.wallSeconds,
  };
}

function figures(part: ThroughputPart, yardstick: readonly Phase[], subject: readonly Phase[]): Figure[] {
  const perAnswer = part === 'events' ? contentChunks.long : 1;
  const [noun, nouns] = part === 'events' ? ['event', 'events'] : ['request', 'requests'];
  const rate = (phase: Phase) => phase.requestsPerSecond * perAnswer;
  const cpu = (phase: Phase) => (phase.cpuMicrosecondsPerRequest ?? Number.NaN) / perAnswer;
  return [
    {
      key: `${part}.${nouns}_per_second`,
      label: part === 'events' ? 'provider events carried in long streams' : `requests, ${part}`,
      unit: `${nouns}/s`,
      better: 'higher',
      ...compareRounds(yardstick.map(rate), subject.map(rate)),
    },
    {
      key: `${part}.cpu_microseconds_per_${noun}`,
      label: `gateway CPU per ${noun}${part === 'events' ? '' : `, ${part}`}`,
      unit: 'µs',
      better: 'lower',
      ...compareRounds(yardstick.map(cpu), subject.map(cpu)),
    },
  ];
}

/** Who limited the rate: the gateway should, for the figure to be its own. */
function bottleneck(phases: readonly Phase[]): string {
  const load = median(phases.map((phase) => phase.loadSideCpu));
  const gateway = median(phases.map((phase) => phase.gatewayCpu ?? Number.NaN));
  const others = median(phases.map((phase) => phase.otherCpu));
  const events = median(phases.map((phase) => phase.clientEventsPerAnswer));
  const closing = phases.some((phase) => phase.closesConnections) ? ', a connection for each answer' : '';
  const shares = `gateway CPU ${percent(gateway)}, load side CPU ${percent(load)}, other processes ${percent(others)} of a core, ${events.toFixed(0)} client events an answer${closing}`;
  if (gateway >= 0.9) return `the gateway was the bottleneck (${shares})`;
  if (load >= 0.9) return `THE LOAD SIDE was the bottleneck: read the CPU figure instead (${shares})`;
  if (others >= 0.15) return `other processes took CPU from this run: read the CPU figure (${shares})`;
  return `neither side was busy all the time: the gateway waited (${shares})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
