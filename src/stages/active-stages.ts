import type { AnswerParts } from '../core/answer-part.ts';
import { HeadgateError } from '../core/errors.ts';
import { type AnyRequest, wantsChat } from '../core/inference-request.ts';
import { type ParsedFile, toFileAnnotation } from '../core/parsed-file.ts';
import type { CanonicalRequest, ContentPart } from '../core/request.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import type { GuardrailSubject } from '../guardrails/guardrail-directory.ts';
import type { JsonObject } from '../util/json.ts';
import { isBeforeAdmission } from './order.ts';
import type { FitTarget, Stage, StageContext, StageRun } from './stage.ts';

interface ActiveStage {
  readonly stage: Stage;
  readonly run: StageRun;
  /** How many of its entries were reported. */
  reported: number;
  /** When it began to work and when it was done last, by the monotonic clock; undefined while it has done nothing. */
  time: { readonly from: number; readonly to: number } | undefined;
}

/** What a stage did, and when, in milliseconds of the monotonic clock. */
export interface StageTime {
  readonly entry: PipelineEntry;
  readonly from: number;
  readonly to: number;
}

/** The stages that work on one request, in their order. */
export class ActiveStages {
  readonly #stages: readonly ActiveStage[];

  private constructor(stages: readonly ActiveStage[]) {
    this.#stages = stages;
  }

  /**
   * The stages that a request concerns; undefined without any. Allocates nothing then.
   * @param stages In their order.
   */
  static of(
    request: AnyRequest,
    stages: readonly Stage[],
    caller: GuardrailSubject,
  ): ActiveStages | undefined {
    let active: ActiveStage[] | undefined;
    const isChat = wantsChat(request);
    for (const stage of stages) {
      if (!isChat && stage.takesEveryKind !== true) continue;
      const run = stage.begin(request, caller);
      if (run === undefined) continue;
      active ??= [];
      active.push({ stage, run, reported: 0, time: undefined });
    }
    return active && new ActiveStages(active);
  }

  /**
   * Prepares a request by the stages before admission, or by those after it.
   * @throws HeadgateError when a stage refuses the request.
   */
  async prepare(request: AnyRequest, context: StageContext, beforeAdmission: boolean): Promise<AnyRequest> {
    let prepared = request;
    for (const active of this.#stages) {
      const { stage, run } = active;
      if (run.prepare === undefined || isBeforeAdmission(stage.place) !== beforeAdmission) continue;
      const from = performance.now();
      try {
        prepared = await run.prepare(prepared, context);
      } finally {
        active.time = { from, to: performance.now() };
      }
    }
    return prepared;
  }

  /** Makes what fits a request to an endpoint; undefined where no stage does. */
  fitIn(
    context: StageContext,
  ): ((request: CanonicalRequest, target: FitTarget) => Promise<CanonicalRequest>) | undefined {
    const fitting = this.#stages.filter(({ run }) => run.fit !== undefined);
    if (fitting.length === 0) return undefined;
    return async (request, target) => {
      let fitted = request;
      for (const { run } of fitting) fitted = (await run.fit?.(fitted, target, context)) ?? fitted;
      return fitted;
    };
  }

  /** Whether a stage works on the request after the caller's limits are judged, and before it is routed. */
  get preparesLate(): boolean {
    return this.#stages.some(
      ({ stage, run }) => run.prepare !== undefined && !isBeforeAdmission(stage.place),
    );
  }

  /** Scans parts that a stage adds. @throws HeadgateError when they are refused. */
  async scan(parts: readonly ContentPart[]): Promise<readonly ContentPart[]> {
    let scanned = parts;
    for (const { run } of this.#stages) scanned = (await run.scan?.(scanned)) ?? scanned;
    return scanned;
  }

  /** Scans the arguments of a call that leaves the gateway. @throws HeadgateError when the call is refused. */
  async scanArguments(input: JsonObject): Promise<JsonObject> {
    let scanned = input;
    for (const { run } of this.#stages) scanned = (await run.scanArguments?.(scanned)) ?? scanned;
    return scanned;
  }

  /** Whether a stage reads files. */
  get readsFiles(): boolean {
    return this.#stages.some(({ run }) => run.files !== undefined);
  }

  /** The files that stages have read for the client to keep. */
  get files(): readonly ParsedFile[] {
    return this.#stages.flatMap(({ run }) => run.files ?? []);
  }

  /** A failure with what was read of files, so that a retry need not read them again. */
  failed(error: HeadgateError): HeadgateError {
    const { files } = this;
    if (files.length === 0) return error;
    const { metadata, retryAfter, headers, cause } = error;
    return new HeadgateError(error.code, error.message, {
      metadata: { ...metadata, file_annotations: files.map(toFileAnnotation) },
      retryAfter,
      headers,
      cause,
    });
  }

  /** Whether a stage rewrites the answer. */
  get rewrites(): boolean {
    return this.#stages.some(({ run }) => run.rewrite !== undefined);
  }

  /**
   * Rewrites a batch of the answer.
   * @throws HeadgateError when a stage fails the answer.
   */
  async rewrite(parts: AnswerParts, context: StageContext): Promise<AnswerParts> {
    let rewritten = parts;
    for (const active of this.#stages) {
      if (active.run.rewrite === undefined) continue;
      const from = active.time?.from ?? performance.now();
      rewritten = await active.run.rewrite(rewritten, context);
      active.time = { from, to: performance.now() };
    }
    return rewritten;
  }

  /** Everything that the stages did, with its time. */
  get times(): readonly StageTime[] {
    return this.#stages.flatMap(({ run: { entry, entries = entry && [entry] }, time }) => {
      if (time === undefined) return [];
      return (entries ?? []).map((one) => ({ entry: one, ...time }));
    });
  }

  /**
   * The entries of stages that were not reported before, in their order.
   * @param all False leaves out those of stages that have yet to rewrite the answer.
   */
  report(all: boolean): readonly PipelineEntry[] {
    const entries: PipelineEntry[] = [];
    for (const active of this.#stages) {
      const { entry, rewrite, reportsBefore } = active.run;
      if (!(all || rewrite === undefined || reportsBefore === true)) continue;
      const reports = active.run.entries ?? (entry === undefined ? [] : [entry]);
      entries.push(...reports.slice(active.reported));
      active.reported = reports.length;
    }
    return entries;
  }
}
