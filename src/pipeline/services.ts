import type { Catalogue } from '../core/catalogue.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { TextScanner } from '../guardrails/content-scanner.ts';
import type { GuardrailSource } from '../guardrails/guardrail-directory.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import type { CredentialSecrets } from '../ports/credentials.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import type { RouterStatistics } from '../ports/router-statistics.ts';
import type { StickyEndpoints } from '../ports/stickiness.ts';
import type { ToolCallChecks } from '../ports/tool-call-checks.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { TaskVectors } from '../routers/auto/task-vectors.ts';
import type { RoutePolicy } from '../routing/route-plan.ts';
import type { StatisticsSnapshot } from '../routing/statistics-snapshot.ts';
import type { LoopLimits } from '../server-tools/loop-budget.ts';
import type { ServerTool } from '../server-tools/server-tool.ts';
import type { CallFacts, SettlementServices } from '../settlement/call-settlement.ts';
import type { EndpointRateServices } from '../settlement/endpoint-rates.ts';
import type { RateServices } from '../settlement/request-rates.ts';
import type { SpendingServices } from '../settlement/spending.ts';
import type { Stage } from '../stages/stage.ts';
import type { CallProgress } from './call-progress.ts';
import type { RequestEvents } from './request-events.ts';

/** Everything a request needs besides itself, put together once at the composition root. */
export interface Services extends SettlementServices, SpendingServices, RateServices, EndpointRateServices {
  /** The catalogue of this moment; a request asks once. */
  readonly catalogue: () => Catalogue;
  readonly upstreams: UpstreamRegistry;
  /** Records what endpoints do. */
  readonly statistics: EndpointStatistics;
  readonly toolCallChecks: ToolCallChecks;
  /** What routing knows of endpoints. */
  readonly endpointStatistics: StatisticsSnapshot;
  readonly stickyEndpoints: StickyEndpoints;
  /** What an embedding model makes of the tasks that `service/auto` knows. */
  readonly taskVectors: TaskVectors;
  /** What routers know of the traffic. */
  readonly routerStatistics: RouterStatistics;
  /** Opens the accounts' own provider credentials. */
  readonly secrets?: CredentialSecrets;
  /** Where this installation stands, and where data may be processed. */
  readonly location: () => Location;
  /** The numbers of routing an operator can tune. */
  readonly routing: () => RoutingRules;
  /** Whether to leave out hosted tools that nobody can run; otherwise their requests are refused. */
  readonly leavesOutTools?: () => boolean;
  /** The guardrails of callers; undefined where there are none. */
  readonly guardrails?: GuardrailSource;
  /** What scans texts for them. */
  readonly scanner?: TextScanner;
  /** The plugins and guardrails, in their order. */
  readonly stages: readonly Stage[];
  /** The tools that the gateway runs. */
  readonly tools: readonly ServerTool[];
  /** The operator's ceiling of the loop of tools; the usual one by default. */
  readonly loopLimits?: () => LoopLimits;
  /** When the loop of a request that is not streamed has to come to its last turn, by when the request was received. */
  readonly loopDeadline?: (receivedAt: number, asksToThink: boolean) => number;
  /** Who hears of what happens to requests. */
  readonly events: RequestEvents;
  /** Numbers from 0 until below 1, for draws. */
  readonly random: () => number;
}

/** Where an installation stands. */
export interface Location extends Pick<RoutePolicy, 'country' | 'dataRegions'> {
  /** Its name, as routing metadata shows it. */
  readonly region?: string;
}

/** One request on its way through the pipeline. */
export interface InferenceCall extends CallFacts {
  /** How many turns this one is inside of; undefined for a client's own request. */
  readonly depth?: number;
  /**
   * Aborted when the client has gone (reason ClientGone), when the request's total time is up or when the
   * server stops (reason HeadgateError).
   */
  readonly signal: AbortSignal;
  /** The memory its answer may take. */
  readonly room: AnswerRoom;
  /** Where it notes how far it is; undefined where nobody could look. */
  readonly progress?: CallProgress;
}

/** Why a call was aborted when nobody waits for its answer any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
