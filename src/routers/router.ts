import type { Catalogue, Model } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CanonicalChat, CanonicalRequest } from '../core/request.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import type { RouterId } from '../core/router-names.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { TaskTag } from '../core/task-tags.ts';
import type { RouterStatistics } from '../ports/router-statistics.ts';
import type { ModelLimits } from '../routing/allowed-models.ts';
import type { NamedRouter } from '../routing/candidates.ts';
import type { RoutingSnapshot } from '../routing/route-plan.ts';

/** The task that a model recognised; without a tag, none. */
export interface ClassifiedTask {
  readonly tag: TaskTag | undefined;
  readonly by: 'model';
}

/** What a router is asked: which models shall serve a request for a chat, at one moment, for one caller. */
export interface RouterQuestion<Wanted extends CanonicalRequest = CanonicalChat> {
  readonly request: InferenceRequest<Wanted>;
  /** The router as the request names it. */
  readonly named: NamedRouter;
  /** What its plan will rest on. */
  readonly snapshot: RoutingSnapshot;
  /** The models that the caller may use; undefined is all. */
  readonly allowedModels?: ModelLimits | undefined;
  readonly statistics: RouterStatistics;
  /** The id of the model that served the conversation before. */
  readonly remembered?: string;
  /** What a classifying model said of the task; undefined means that rules decide. */
  readonly task?: ClassifiedTask;
}

/** A model that chooses models. */
export interface Router {
  readonly id: RouterId;
  /** What lists say of it. */
  readonly name: string;
  readonly description: string;
  /** Whether the kind of task decides. */
  readonly choosesByTask?: true;
  /** Whether it may ask what input costs on average. */
  readonly choosesByPrice?: true;
  /** Whether the router chooses among models like this one, for whatever request. */
  belongs(model: Model, facts: { readonly rules: RoutingRules; readonly catalogue: Catalogue }): boolean;
  /**
   * The models that shall serve a request. A pure function of the question.
   * @throws HeadgateError `no_endpoints` where none may.
   */
  choose(question: RouterQuestion): RoutedModels;
  /**
   * Changes a request that names it first, once its models are chosen.
   * @param isInner Whether it is asked for a tool, a stage or a router.
   */
  prepare?(
    request: InferenceRequest,
    catalogue: Catalogue,
    accountId: string,
    isInner: boolean,
  ): InferenceRequest;
}
