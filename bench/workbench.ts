import { join } from 'node:path';
import { directUpstream, type Gateway, type RunningGateway } from './gateways.ts';
import type { Shot } from './load-connection.ts';
import type { LoadOrder } from './load-generator.ts';
import { type CpuUse, meterCpu } from './process-meter.ts';
import { ask, loadCore, type NodeProcess, startNode } from './processes.ts';
import type { ScriptName } from './scripted-answers.ts';
import type { UpstreamOrder, UpstreamReady } from './scripted-upstream.ts';
import type { LoadResult } from './tally.ts';
import { warmUp } from './warm-up.ts';

/** How long and with how much load to measure. */
export interface Effort {
  /** Of one throughput phase; other phases are derived from it. */
  readonly seconds: number;
  /** How often each gateway is measured, in turns. */
  readonly rounds: number;
  /** Connections of a throughput phase. */
  readonly connections: number;
  /** Limit of warm-up batches for a gateway. */
  readonly warmUpBatches: number;
  /** Streams of the memory phase. */
  readonly openStreams: number;
}

/** The result of a load with its CPU use. */
export interface MeteredResult extends LoadResult {
  readonly cpu: CpuUse;
  /** When it ran, in microseconds of the clock of CPU profiles. */
  readonly from: number;
  readonly to: number;
}

/** A phase to evaluate in the profile of a gateway. */
export interface ProfileWindow {
  readonly part: string;
  readonly gateway: string;
  readonly pid: number;
  readonly from: number;
  readonly to: number;
  readonly answers: number;
}

/** The load side of a run: upstream and load generator, started once, and the list of problems. */
export class Workbench {
  readonly effort: Effort;
  readonly upstreamPort: number;
  readonly direct: RunningGateway;
  readonly problems: string[] = [];
  /** Phases with warm gateways, in order. */
  readonly windows: ProfileWindow[] = [];
  readonly #warm = new Map<RunningGateway, Set<string>>();
  readonly #upstream: NodeProcess;
  readonly #generator: NodeProcess;
  /** Of this run: for configuration, data and logs. */
  readonly directory: string;
  readonly #nodeOptions: readonly string[];

  private constructor(
    effort: Effort,
    upstream: NodeProcess,
    upstreamPort: number,
    directory: string,
    nodeOptions: readonly string[],
  ) {
    this.effort = effort;
    this.upstreamPort = upstreamPort;
    this.direct = directUpstream(upstreamPort);
    this.#upstream = upstream;
    this.#generator = startOnLoadCore('load-generator', {});
    this.directory = directory;
    this.#nodeOptions = nodeOptions;
  }

  /** Starts upstream (on `upstreamPort`, 0 for any) and load generator. */
  static async open(
    effort: Effort,
    upstreamPort: number,
    directory: string,
    nodeOptions: readonly string[],
  ): Promise<Workbench> {
    const upstream = startOnLoadCore('scripted-upstream', { UPSTREAM_PORT: String(upstreamPort) });
    const ready = await new Promise<UpstreamReady>((resolve) => upstream.child.once('message', resolve));
    return new Workbench(effort, upstream, ready.port, directory, nodeOptions);
  }

  start(gateway: Gateway): Promise<RunningGateway> {
    return gateway.start({
      upstreamPort: this.upstreamPort,
      directory: this.directory,
      nodeOptions: this.#nodeOptions,
    });
  }

  /** Makes the upstream follow a script from now on. */
  async follow(script: ScriptName): Promise<void> {
    await ask<UpstreamOrder, true>(this.#upstream, { script });
  }

  /** Sends a word per second to every open stream from now on. */
  async trickle(): Promise<void> {
    await ask<UpstreamOrder, true>(this.#upstream, { trickle: true });
  }

  /** Sends a stamped word each 20 ms to every open stream from now on. */
  async pace(): Promise<void> {
    await ask<UpstreamOrder, true>(this.#upstream, { pace: true });
  }

  /** Ends every open stream. */
  async finishHeld(): Promise<void> {
    await ask<UpstreamOrder, true>(this.#upstream, { finishHeld: true });
  }

  /** Runs one order of load against a gateway; failures are recorded as problems under `what`. */
  async load(gateway: RunningGateway, what: string, order: LoadOrder): Promise<MeteredResult> {
    const from = microseconds();
    const stopMeter = meterCpu(gateway.pid, [this.#upstream.pid, this.#generator.pid]);
    const result = await ask<LoadOrder, LoadResult>(this.#generator, order);
    const cpu = stopMeter();
    if (result.failures > 0) {
      this.problems.push(
        `${what}, ${gateway.name}: ${result.failures} of ${result.failures + result.answers} failed, first: ${result.firstFailure}`,
      );
    }
    return { ...result, cpu, from, to: microseconds() };
  }

  /** Warms a gateway up for a kind of load, once in a run. */
  async warmUp(gateway: RunningGateway, kind: string, shot: Shot, connections: number): Promise<void> {
    const known = this.#warm.get(gateway) ?? new Set();
    this.#warm.set(gateway, known);
    if (known.has(kind)) return;
    known.add(kind);
    const limits = { batch: this.effort.seconds * batchShare, batches: this.effort.warmUpBatches };
    const result = await warmUp({ shot, connections }, limits, async (batch) => {
      const { cpu, answers } = await this.load(gateway, `warm-up, ${kind}`, batch);
      return { answers, cost: (cpu.gatewaySeconds ?? cpu.wallSeconds) / answers };
    });
    const came = result.warm ? 'no longer gaining' : 'still gaining';
    progress(`warm-up, ${kind}, ${gateway.name}: ${result.batches} batches, ${came}`);
  }

  /** Records when a warm gateway was under load. */
  noteWindow({ name, pid }: RunningGateway, part: string, { from, to, answers }: MeteredResult): void {
    if (pid !== undefined) this.windows.push({ part, gateway: name, pid, from, to, answers });
  }
}

/** Of a throughput phase; shorter batches would be noise, longer ones a waste of time. */
const batchShare = 0.75;

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

function startOnLoadCore(name: string, env: Readonly<Record<string, string>>): NodeProcess {
  return startNode({ name, cores: loadCore, args: [join(import.meta.dirname, `${name}.ts`)], env });
}

/** Reports progress on standard error. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
