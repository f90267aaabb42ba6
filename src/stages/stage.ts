import type { AnswerParts } from '../core/answer-part.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Feature } from '../core/features.ts';
import type { Fee } from '../core/fee.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { TakeInnerTurn } from '../core/inner-turn.ts';
import type { NanoUsd } from '../core/money.ts';
import type { ParsedFile } from '../core/parsed-file.ts';
import type { CanonicalRequest, ContentPart } from '../core/request.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import type { GuardrailSubject } from '../guardrails/guardrail-directory.ts';
import type { JsonObject } from '../util/json.ts';
import type { StagePlace } from './order.ts';

/** A plugin or guardrail: something between a checked request and its answer that is no part of the model's call. */
export interface Stage {
  /** Its row in the table of stages. */
  readonly place: StagePlace;
  /** Whether it also prepares a request of which only the tokens are counted: it decides what may leave for a provider. */
  readonly guardsCounts?: true;
  /** Whether it works on requests of every kind; others meet only requests for a chat, and may declare only these. */
  readonly takesEveryKind?: true;
  /**
   * Begins the stage's work on one request; undefined when the request does not concern it. Asked for every request, so it
   * must cost next to nothing then.
   */
  begin(request: AnyRequest, caller: GuardrailSubject): StageRun | undefined;
}

/** The work of one stage on one request. Every step is optional and may wait. */
export interface StageRun {
  /**
   * Returns the request to go on with, before it is routed.
   * @throws HeadgateError to refuse the request.
   */
  prepare?(request: AnyRequest, context: StageContext): Eventually<AnyRequest>;
  /**
   * Returns the request as the endpoint shall get it. Called for each attempt with the request as it was routed.
   * @throws HeadgateError to fail the attempt.
   */
  fit?(request: CanonicalRequest, target: FitTarget, context: StageContext): Eventually<CanonicalRequest>;
  /**
   * Returns the parts to go on with in place of those of one batch: the same, others, or none for now. The batch with the
   * `ended` part comes last, and that part stays last in it.
   * @throws HeadgateError to fail the answer.
   */
  rewrite?(parts: AnswerParts, context: StageContext): Eventually<AnswerParts>;
  /**
   * Scans parts that another stage puts into a request, and returns what to put there.
   * @throws HeadgateError to refuse the request.
   */
  scan?(parts: readonly ContentPart[]): Eventually<readonly ContentPart[]>;
  /**
   * Scans the arguments of a call that the gateway is about to send elsewhere, and returns what to send.
   * @throws HeadgateError to refuse the call.
   */
  scanArguments?(input: JsonObject): Eventually<JsonObject>;
  /** Files that it read for the client to keep, as far as it is; read when the answer begins or the request fails. */
  readonly files?: readonly ParsedFile[];
  /** Whether its entries are whole before the answer begins, although it rewrites that. */
  readonly reportsBefore?: boolean;
  /** What the stage changed or judged, once it did; read after its last step. */
  readonly entry?: PipelineEntry;
  /** The same for a stage that reports several things, in their order; it may add to the list at every step. */
  readonly entries?: readonly PipelineEntry[];
}

/** What the stages of a request may use. */
export interface StageContext {
  readonly accountId: string;
  readonly workspaceId: string | null;
  readonly keyHash: string;
  /** Aborted when the request is. */
  readonly signal: AbortSignal;
  readonly innerTurn: TakeInnerTurn;
  /**
   * Checks that the caller can pay for more. Asked before a stage does something that may cost.
   * @param costs Whether it costs credits whatever serves the request; then a free model or an own credential is no way around.
   * @throws HeadgateError when it cannot.
   */
  readonly checkMeans: (costs?: boolean) => Promise<void>;
  /**
   * Holds what something may cost of the limits of the caller, until it is charged or the request ends.
   * @throws HeadgateError when nothing is left of a limit.
   */
  readonly reserve: (cost: NanoUsd) => Promise<void>;
  /** Charges a fee for what was done; resolves when it is durable. */
  readonly charge: (fee: Fee) => Promise<void>;
  /** The endpoints of the models that a request names; undefined where a router has yet to choose them. */
  readonly targets: (request: AnyRequest) => readonly FitTarget[] | undefined;
  /** Whether the dialect of an endpoint can say a feature itself, in a request where one is given. */
  readonly supports: (target: FitTarget, feature: Feature, request?: CanonicalRequest) => boolean;
  /**
   * Has the guardrails scan parts that a stage adds before anything is sent.
   * @throws HeadgateError when they do not let them pass.
   */
  readonly scan: (parts: readonly ContentPart[]) => Promise<readonly ContentPart[]>;
  /** Set where the tokens of the request are counted and nothing else: then it is checked, and nothing is done that may cost. */
  readonly onlyCounts?: true;
}

/** The endpoint a request is about to be sent to. */
export interface FitTarget {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** A value, now or later. */
export type Eventually<Value> = Value | Promise<Value>;
