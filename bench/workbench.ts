import { join } from 'node:path';
import { directUpstream, type Gateway, type RunningGateway } from './gateways.ts';
import type { LoadOrder } from './load-generator.ts';
import { type CpuUse, meterCpu } from './process-meter.ts';
import { ask, loadCore, type NodeProcess, startNode } from './processes.ts';
import type { ScriptName } from './scripted-answers.ts';
import type { UpstreamOrder, UpstreamReady } from './scripted-upstream.ts';
import type { LoadResult } from './tally.ts';

/** How long and how hard to measure. */
export interface Effort {
  /** Of one throughput phase; other phases are derived from it. */
  readonly seconds: number;
  /** How often each gateway is measured, in turns. */
  readonly rounds: number;
  /** Connections of a throughput phase. */
  readonly connections: number;
  /** Streams of the memory phase. */
  readonly openStreams: number;
}

/** Load and what it cost. */
export interface MeteredResult extends LoadResult {
  readonly cpu: CpuUse;
}

/** The load side of a run: upstream and load generator, started once, and the list of what went wrong. */
export class Workbench {
  readonly effort: Effort;
  readonly upstreamPort: number;
  readonly direct: RunningGateway;
  readonly problems: string[] = [];
  readonly #upstream: NodeProcess;
  readonly #generator: NodeProcess;
  readonly #directory: string;
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
    this.#directory = directory;
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
      directory: this.#directory,
      nodeOptions: this.#nodeOptions,
    });
  }

  /** Makes the upstream follow a script from now on. */
  async follow(script: ScriptName): Promise<void> {
    await ask<UpstreamOrder, true>(this.#upstream, { script });
  }

  /** Lets every held stream end. */
  async finishHeld(): Promise<void> {
    await ask<UpstreamOrder, true>(this.#upstream, { finishHeld: true });
  }

  /** Runs one order of load against a gateway; failures are noted as problems under `what`. */
  async load(gateway: RunningGateway, what: string, order: LoadOrder): Promise<MeteredResult> {
    const stopMeter = meterCpu(gateway.pid, [this.#upstream.pid, this.#generator.pid]);
    const result = await ask<LoadOrder, LoadResult>(this.#generator, order);
    const cpu = stopMeter();
    if (result.failures > 0) {
      this.problems.push(
        `${what}, ${gateway.name}: ${result.failures} of ${result.failures + result.answers} failed, first: ${result.firstFailure}`,
      );
    }
    return { ...result, cpu };
  }
}

function startOnLoadCore(name: string, env: Readonly<Record<string, string>>): NodeProcess {
  return startNode({ name, core: loadCore, args: [join(import.meta.dirname, `${name}.ts`)], env });
}

/** Says on standard error what is going on. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
