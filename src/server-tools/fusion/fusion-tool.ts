import { chosenPanel, type FusionPanels, noPanel } from '../../core/fusion.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { JsonObject } from '../../util/json.ts';
import { Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import {
  entryOf,
  type OfferQuestions,
  type ServerTool,
  type ToolContext,
  type ToolOffer,
} from '../server-tool.ts';
import { analyse } from './analyse.ts';
import { askPanel, type PanelAnswer, type PanelFailure } from './ask-panel.ts';
import { type FusionSettings, readFusionSettings } from './fusion-settings.ts';

const type = 'service:fusion';
const { definition, check } = toolFunction(
  type,
  'Asks several models the same question side by side, and compares what they say: where they agree and contradict each ' +
    'other, and what only one of them saw. Can be called once.',
  Type.Object({
    prompt: text({ minLength: 1, description: 'The question, with everything the models have to know.' }),
  }),
);

/** What fusion needs of the gateway. */
export interface FusionMeans {
  readonly panels: () => FusionPanels;
  /** The type ids of the tools that a panel has where the request says nothing. */
  readonly usualTools: () => readonly string[];
}

/** `service:fusion`: a panel of models and an analyst (docs/spec/server-tools.md#fusion). */
export function fusionTool(means: FusionMeans): ServerTool {
  return {
    type,
    concerns: (request) => entryOf(request, type) !== undefined,
    offer: (request, context) => [new FusionOffer(settingsOf(request, context, means))],
  };
}

/** @throws HeadgateError `invalid_request` for a panel without models, or tools that it cannot have. */
function settingsOf(request: InferenceRequest, context: OfferQuestions, means: FusionMeans): FusionSettings {
  const settings = entryOf(request, type)?.settings ?? {};
  const panel = chosenPanel(settings, means.panels());
  const models = panel.isExplicit ? panel.models : panel.models.filter(context.knowsModel);
  if (models.length === 0) throw noPanel(panel.preset, 'has no model that is in the catalogue');
  const usual = means.usualTools().filter((tool) => !context.isDisabled(tool));
  const read = readFusionSettings(settings, { ...panel, models }, usual);
  context.checkTools(read.tools);
  return read;
}

/** The panel of one request, which is asked once. */
class FusionOffer implements ToolOffer {
  readonly type = type;
  readonly definition = definition;
  readonly #settings: FusionSettings;
  #isAsked = false;

  constructor(settings: FusionSettings) {
    this.#settings = settings;
  }

  announce(): JsonObject {
    return {};
  }

  async run(input: JsonObject, context: ToolContext) {
    const { prompt } = check(input, '');
    if (this.#isAsked)
      return failure('The panel can be asked once in a request.', 'fusion_invocation_capped');
    this.#isAsked = true;
    const members = await askPanel(prompt, this.#settings, context);
    const answers = members.filter((member) => 'content' in member);
    const failures = members.filter((member) => 'error' in member);
    const failed = failures.map(shownFailure);
    if (answers.length === 0) {
      const reason = context.signal.aborted ? 'cancelled' : reasonOf(failures);
      return failure('No model of the panel answered.', reason, failed);
    }
    const { analysis, problem } = await analyse(prompt, answers, this.#settings, context);
    const responses = answers.map(({ model, content }) => ({ model, content }));
    const shown = {
      ...(analysis !== undefined && { analysis }),
      responses,
      ...(failed.length > 0 && { failed_models: failed }),
    };
    const sources = sourcesOf(answers);
    return {
      output: JSON.stringify({ status: 'ok', ...shown }),
      fields: {
        ...shown,
        ...(sources.length > 0 && { sources }),
        ...(problem !== undefined && { failure_reason: problem }),
      },
    };
  }
}

function failure(error: string, failure_reason: string, failed: readonly JsonObject[] = []) {
  const fields = { error, failure_reason, ...(failed.length > 0 && { failed_models: failed }) };
  return { output: JSON.stringify({ status: 'error', ...fields }), fields };
}

/** Why nobody answered: money comes before rates, because waiting does not help. */
function reasonOf(failures: readonly PanelFailure[]): string {
  if (failures.some(({ status }) => status === 402)) return 'insufficient_credits';
  if (failures.some(({ status }) => status === 429)) return 'rate_limited';
  if (failures.every(({ isUnknown }) => isUnknown)) return 'invalid_model';
  return 'all_panels_failed';
}

function shownFailure({ model, error, status }: PanelFailure): JsonObject {
  return { model, error, ...(status !== undefined && { status_code: status }) };
}

function sourcesOf(answers: readonly PanelAnswer[]): readonly JsonObject[] {
  const byAddress = new Map(
    answers.flatMap(({ sources }) => sources.map((source) => [source.url, source] as const)),
  );
  return Array.from(byAddress.values(), ({ url, title }) => ({ url, title }));
}
