import type { Endpoint } from '../core/catalogue.ts';
import type { ModelCall } from '../core/model-call.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import type { ToolCallChecks } from '../ports/tool-call-checks.ts';
import { judgeCalls } from './judge-calls.ts';
import { SchemaChecker } from './schema-checker.ts';

/**
 * Judges calls beside the requests and reports to the statistics: one bad call marks its answer
 * (docs/spec/routing.md#faulty-calls).
 */
export class StatisticalChecks implements ToolCallChecks {
  readonly #statistics: EndpointStatistics;
  readonly #schemas = new SchemaChecker();

  constructor(statistics: EndpointStatistics) {
    this.#statistics = statistics;
  }

  checkLater(
    endpoint: Endpoint,
    request: Pick<CanonicalRequest, 'tools' | 'items'>,
    calls: readonly ModelCall[],
  ): void {
    if (calls.length === 0) return;
    // Once the last bytes of the answer are on their way.
    setImmediate(() => this.#check(endpoint, request, calls));
  }

  close(): Promise<void> {
    return this.#schemas.close();
  }

  #check(
    endpoint: Endpoint,
    request: Pick<CanonicalRequest, 'tools' | 'items'>,
    calls: readonly ModelCall[],
  ): void {
    const tell = (valid: boolean) => this.#statistics.recordToolCalls(endpoint, valid);
    const judgement = judgeCalls(request, calls);
    if (judgement === undefined) return;
    if ('fault' in judgement) tell(false);
    else if (judgement.checks.length === 0) tell(true);
    else this.#schemas.check(judgement.checks, tell);
  }
}
