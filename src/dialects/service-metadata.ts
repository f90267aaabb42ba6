import type { PipelineEntry, ReportedEndpoint, RouteReport } from '../core/route-report.ts';
import type { JsonObject } from '../util/json.ts';

/** The `service_metadata` of an answer, or of an error after routing began (docs/spec/answers.md#routing-metadata). */
export function serviceMetadata(report: RouteReport): JsonObject {
  const { available, selected, attempts, pipeline, versionGroup, throughputFloor, generationTime } = report;
  const params = {
    ...(versionGroup === undefined ? {} : { version_group: versionGroup }),
    ...(throughputFloor === undefined ? {} : { throughput_floor: throughputFloor }),
  };
  return {
    requested: report.requested,
    strategy: report.strategy,
    region: report.region ?? null,
    summary: `available=${available.length}, selected=${selected?.provider ?? 'none'}`,
    attempt: report.attempt,
    is_byok: report.isByok,
    endpoints: { total: report.total, available: available.map((one) => describe(one, selected)) },
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(attempts.length === 0 ? {} : { attempts }),
    ...(pipeline.length === 0 ? {} : { pipeline: pipeline.map(describeEntry) }),
    ...(generationTime === undefined ? {} : { generation_time: generationTime }),
  };
}

function describe(one: ReportedEndpoint, selected: ReportedEndpoint | undefined): JsonObject {
  return { provider: one.provider, model: one.model, selected: one === selected };
}

/** One entry of the pipeline as clients see it. */
export function describeEntry(entry: PipelineEntry): JsonObject {
  const { type, name, summary, data, costUsd, guardrailId, guardrailScope } = entry;
  return {
    type,
    name,
    ...(summary === undefined ? {} : { summary }),
    ...(data === undefined ? {} : { data }),
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    ...(guardrailId === undefined ? {} : { guardrail_id: guardrailId }),
    ...(guardrailScope === undefined ? {} : { guardrail_scope: guardrailScope }),
  };
}
