import type { PipelineEntry, RouteReport } from '../core/route-report.ts';
import type { ActiveStages } from '../stages/active-stages.ts';

/** What the stages and tools of one request report, in the order of execution. */
export class PipelineLog {
  readonly #active: ActiveStages | undefined;
  #before: readonly PipelineEntry[] = [];
  #tools: readonly PipelineEntry[] = [];
  #after: readonly PipelineEntry[] = [];

  constructor(active: ActiveStages | undefined) {
    this.#active = active;
  }

  /** The entries of the stages that ran before the model was asked. */
  get before(): readonly PipelineEntry[] {
    return this.#before;
  }

  /** The request is prepared, or was refused. */
  prepared(): void {
    this.#before = this.#active?.report(false) ?? [];
  }

  /** The turns are over. @param tools Type ids of the tools that ran. */
  fitted(tools: readonly string[]): void {
    this.#before = [...this.#before, ...(this.#active?.report(false) ?? [])];
    if (tools.length > 0) {
      this.#tools = [{ type: 'server_tools', name: 'server-tools', data: { mode: 'sdk', tools } }];
    }
  }

  /** The answer is rewritten. */
  rewritten(): void {
    this.#after = this.#active?.report(true) ?? [];
  }

  /** A turn's report with what came before it, and with the tools. */
  addBefore(report: RouteReport | undefined): RouteReport | undefined {
    return report && { ...report, pipeline: [...this.#before, ...report.pipeline, ...this.#tools] };
  }

  /** A report with what came last. */
  addAfter(report: RouteReport | undefined): RouteReport | undefined {
    return report && { ...report, pipeline: [...report.pipeline, ...this.#after] };
  }
}
