import { clientShot } from './client-request.ts';
import type { RunningGateway } from './gateways.ts';
import { contentChunks } from './scripted-answers.ts';
import { median } from './statistics.ts';
import { type MeteredResult, progress, type Workbench } from './workbench.ts';

/** A kind of load that runs as fast as the gateway answers. */
export type LoadKind = 'unstreamed' | 'streamed' | 'events';

/** One gateway under that load for a while. */
export interface Phase {
  readonly part: string;
  readonly gateway: string;
  readonly round: number;
  readonly requestsPerSecond: number;
  /** Average number of server-sent events in an answer. */
  readonly clientEventsPerAnswer: number;
  /** Whether every answer needed a new connection, because the gateway closes them. */
  readonly closesConnections: boolean;
  /** CPU time of the gateway; undefined when its process is unknown. */
  readonly cpuMicrosecondsPerRequest: number | undefined;
  /** Cores used, 0 to 1 unless a process uses several. */
  readonly gatewayCpu: number | undefined;
  readonly loadSideCpu: number;
  /** Cores used by other processes of this machine: noise. */
  readonly otherCpu: number;
}

/** A part of the report that consists of such phases. */
export interface Turns {
  readonly part: string;
  readonly kind: LoadKind;
  /** The length of its phases relative to those of the main parts; default 1. */
  readonly share?: number;
}

/** The number of units in one answer, for figures that do not count requests. */
export const eventsPerAnswer: number = contentChunks.long;

/**
 * Loads warm gateways in turns for the requested number of rounds; returns the phases of each, in its own order.
 */
export async function driveInTurns(
  bench: Workbench,
  turns: Turns,
  gateways: readonly RunningGateway[],
): Promise<readonly (readonly Phase[])[]> {
  const { rounds } = bench.effort;
  const seconds = bench.effort.seconds * (turns.share ?? 1);
  const phases: Phase[][] = gateways.map(() => []);
  for (const gateway of gateways) await warmUpFor(bench, turns.kind, gateway);
  await follow(bench, turns.kind);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [at, gateway] of gateways.entries()) {
      const phase = await drive(bench, turns, gateway, round, seconds);
      const cpu = phase.cpuMicrosecondsPerRequest;
      progress(
        `${turns.part} ${round}/${rounds} ${gateway.name}: ${phase.requestsPerSecond.toFixed(0)} requests/s` +
          (cpu === undefined ? '' : `, ${cpu.toFixed(0)} µs of CPU each`),
      );
      phases[at]?.push(phase);
    }
  }
  return phases;
}

/** Warms a gateway up for a kind of load, once in a run. */
export async function warmUpFor(bench: Workbench, kind: LoadKind, gateway: RunningGateway): Promise<void> {
  await follow(bench, kind);
  await bench.warmUp(gateway, kind, clientShot(gateway, kind !== 'unstreamed'), connections(bench, kind));
}

/** How many answers per second the load side can take, measured without a gateway. */
export async function ceiling(bench: Workbench, turns: Turns): Promise<number> {
  await follow(bench, turns.kind);
  const phase = await drive(bench, turns, bench.direct, 0, bench.effort.seconds / 2);
  return phase.requestsPerSecond;
}

function follow(bench: Workbench, kind: LoadKind): Promise<void> {
  return bench.follow(kind === 'events' ? 'long' : 'short');
}

function connections(bench: Workbench, kind: LoadKind): number {
  return kind === 'events' ? Math.ceil(bench.effort.connections / 4) : bench.effort.connections;
}

async function drive(
  bench: Workbench,
  { part, kind }: Turns,
  gateway: RunningGateway,
  round: number,
  seconds: number,
): Promise<Phase> {
  const result: MeteredResult = await bench.load(gateway, `${part} round ${round}`, {
    kind: 'closed',
    shot: clientShot(gateway, kind !== 'unstreamed'),
    connections: connections(bench, kind),
    seconds,
    keepTimes: false,
  });
  bench.noteWindow(gateway, part, result);
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

/** Requests per second of each phase. */
export function rates(phases: readonly Phase[]): readonly number[] {
  return phases.map((phase) => phase.requestsPerSecond);
}

/** Microseconds of the gateway's CPU per request, of each phase. */
export function cpuCosts(phases: readonly Phase[]): readonly number[] {
  return phases.map((phase) => phase.cpuMicrosecondsPerRequest ?? Number.NaN);
}

/** Where gateways ran, for the remark on what limited them. */
export interface Circumstances {
  /** Cores that the gateway could use. */
  readonly cores?: number;
  /** Whether databases of the gateways ran beside, which count as other processes. */
  readonly hasServers?: boolean;
}

/** What limited the rate. It should be the gateway, otherwise the figure is not its own. */
export function bottleneck(
  phases: readonly Phase[],
  { cores = 1, hasServers = false }: Circumstances = {},
): string {
  const load = median(phases.map((phase) => phase.loadSideCpu));
  const gateway = median(phases.map((phase) => phase.gatewayCpu ?? Number.NaN));
  const others = median(phases.map((phase) => phase.otherCpu));
  const events = median(phases.map((phase) => phase.clientEventsPerAnswer));
  const seen = events > 0 ? `, ${events.toFixed(0)} client events an answer` : '';
  const closing = phases.some((phase) => phase.closesConnections) ? ', a connection for each answer' : '';
  const shares = `gateway CPU ${percent(gateway)}, load side CPU ${percent(load)}, ${hasServers ? 'servers and ' : ''}other processes ${percent(others)} of a core${seen}${closing}`;
  if (gateway >= 0.9 * cores) return `the gateway was the bottleneck (${shares})`;
  if (load >= 0.9) return `THE LOAD SIDE was the bottleneck: read the CPU figure instead (${shares})`;
  if (hasServers) return `the gateway waited for a core or for its servers (${shares})`;
  if (others >= 0.15) return `other processes took CPU from this run: read the CPU figure (${shares})`;
  return `neither side was busy all the time: the gateway waited (${shares})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
