import type { PipelineEntry, RouteReport } from '../core/route-report.ts';
import type { ActiveStages } from '../stages/active-stages.ts';

/** What the stages and tools of one request report, in the order of execution. */
export class PipelineLog {
  readonly #active: ActiveStages | undefined;
  #before: readonly PipelineEntry[] = [];
  #tools: readonly PipelineEntry[] = [];
  #after: readonly PipelineEntry[] = [];
  /** Tools that ran since a record was taken. */
  #ran: string[] = [];
  /** How many entries records have. */
  #recorded = { before: 0, after: 0 };

  constructor(active: ActiveStages | undefined) {
    this.#active = active;
  }

  /** The entries of the stages that ran before the model was asked. */
  get before(): readonly PipelineEntry[] {
    return this.#before;
  }

  /** The request is prepared, or was refused. */
  prepared(): void {
    this.#collect();
  }

  /** The turns are over. @param tools Type ids of the tools that ran. */
  fitted(tools: readonly string[]): void {
    this.#collect();
    if (tools.length > 0) this.#tools = [toolsEntry(tools)];
  }

  /** The answer is rewritten. */
  rewritten(): void {
    this.#after = [...this.#after, ...(this.#active?.report(true) ?? [])];
  }

  /** Tools of the gateway ran between two turns. @param types Their type ids. */
  ranTools(types: readonly string[]): void {
    this.#ran.push(...types);
  }

  /** The entries that no record of a turn has yet: for the record of the turn that ends now. */
  takeForRecord(): readonly PipelineEntry[] {
    this.#collect();
    this.rewritten();
    const { before, after } = this.#recorded;
    this.#recorded = { before: this.#before.length, after: this.#after.length };
    const ran = this.#ran.length === 0 ? [] : [toolsEntry([...new Set(this.#ran)])];
    this.#ran = [];
    return [...this.#before.slice(before), ...ran, ...this.#after.slice(after)];
  }

  #collect(): void {
    this.#before = [...this.#before, ...(this.#active?.report(false) ?? [])];
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

function toolsEntry(tools: readonly string[]): PipelineEntry {
  return { type: 'server_tools', name: 'server-tools', data: { mode: 'sdk', tools } };
}
