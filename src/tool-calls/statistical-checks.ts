import type { Endpoint } from '../core/catalogue.ts';
import type { ModelCall } from '../core/model-call.ts';
import type { CanonicalChat } from '../core/request.ts';
import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { isolatedTask } from '../isolation/isolated-task.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import type { ToolCallChecks } from '../ports/tool-call-checks.ts';
import { judgeCalls, type SchemaCheck } from './judge-calls.ts';

const task = isolatedTask<readonly SchemaCheck[], boolean>(import.meta.url, './fits-schema', 'allFit');
/** Milliseconds that the schemas of one answer may take. */
const longestCheck = 1_000;
/** What an answer counts while it waits, for schemas and arguments are not measured. */
const usualBytes = 16_384;

/**
 * Judges calls beside the requests and reports to the statistics: one bad call marks its answer
 * (docs/spec/routing.md#faulty-calls). What cannot be checked in time says nothing about the call: it counts as fitting, or, where too
 * many wait, not at all.
 */
export class StatisticalChecks implements ToolCallChecks {
  readonly #statistics: EndpointStatistics;
  readonly #processes: Pick<IsolatedProcesses, 'run'>;

  /** @param processes Where arguments are held to callers' schemas. */
  constructor(statistics: EndpointStatistics, processes: Pick<IsolatedProcesses, 'run'>) {
    this.#statistics = statistics;
    this.#processes = processes;
  }

  checkLater(
    endpoint: Endpoint,
    request: Pick<CanonicalChat, 'tools' | 'items'>,
    calls: readonly ModelCall[],
    owner: string,
  ): void {
    if (calls.length === 0) return;
    // Once the last bytes of the answer are on their way.
    setImmediate(() => void this.#check(endpoint, request, calls, owner));
  }

  async #check(
    endpoint: Endpoint,
    request: Pick<CanonicalChat, 'tools' | 'items'>,
    calls: readonly ModelCall[],
    owner: string,
  ): Promise<void> {
    const judgement = judgeCalls(request, calls);
    if (judgement === undefined) return;
    const record = (valid: boolean) => this.#statistics.recordToolCalls(endpoint, valid);
    if ('fault' in judgement) record(false);
    else if (judgement.checks.length === 0) record(true);
    else {
      const run = { time: longestCheck, owner, bytes: usualBytes };
      const outcome = await this.#processes.run(task, judgement.checks, run);
      if ('result' in outcome) record(outcome.result);
      else if (outcome.problem !== 'busy') record(true);
    }
  }
}
