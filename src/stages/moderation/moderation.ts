import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import type { FitTarget, Stage, StageContext, StageRun } from '../stage.ts';
import { askModeration, type Judgement, type ModerationBackend } from './ask-moderation.ts';
import { imagesToJudge, shownInput, textsToJudge } from './judged-texts.ts';

/** What moderation works with. */
export interface ModerationServices {
  /** Undefined where nobody moderates. */
  readonly backend: () => ModerationBackend | undefined;
  readonly catalogue: () => Catalogue;
}

/**
 * Moderation (docs/spec/plugins.md#moderation): by the plugin of that name before anything else is done with a request, and
 * unasked before the first attempt at an endpoint that the catalogue marks.
 */
export function createModeration({ backend, catalogue }: ModerationServices): Stage {
  return {
    place: 'moderation',
    begin(request) {
      const isAsked = request.plugins?.some(({ id, enabled }) => id === 'moderation' && enabled) === true;
      if (!isAsked && !mayNeedModeration(request, catalogue())) return undefined;
      return new Moderation(backend, isAsked);
    },
  };
}

class Moderation implements StageRun {
  readonly #backend: () => ModerationBackend | undefined;
  readonly #isAsked: boolean;
  /** Undefined until somebody asked; what it resolves to is undefined where nobody could tell. */
  #judging: Promise<Judgement | undefined> | undefined;
  entry: PipelineEntry | undefined;

  constructor(backend: () => ModerationBackend | undefined, isAsked: boolean) {
    this.#backend = backend;
    this.#isAsked = isAsked;
  }

  async prepare(request: InferenceRequest, context: StageContext): Promise<InferenceRequest> {
    if (!this.#isAsked) return request;
    if (this.#backend() === undefined) {
      const message = 'plugins: "moderation" needs a service that moderates, see plugins.moderation';
      throw new HeadgateError('invalid_request', message);
    }
    const { canonical, models } = request;
    const judgement = await this.#judge(canonical, context);
    if (judgement?.flagged === true) {
      throw new HeadgateError('input_flagged', undefined, {
        metadata: detailsOf(judgement, 'service', models[0] ?? ''),
      });
    }
    return request;
  }

  /** Before an endpoint that wants it. Other endpoints may still serve what it flags. */
  async fit(request: CanonicalRequest, target: FitTarget, context: StageContext): Promise<CanonicalRequest> {
    const { endpoint, model } = target;
    if (endpoint.isModerated !== true) return request;
    const judgement = await this.#judge(request, context);
    if (judgement?.flagged !== true) return request;
    throw new HeadgateError(
      'upstream_flagged',
      'The input was flagged by moderation, which the provider demands.',
      {
        metadata: detailsOf(judgement, endpoint.provider.name, model.id),
      },
    );
  }

  #judge(request: CanonicalRequest, { signal }: StageContext): Promise<Judgement | undefined> {
    this.#judging ??= this.#ask(request, signal);
    return this.#judging;
  }

  async #ask(request: CanonicalRequest, signal: AbortSignal): Promise<Judgement | undefined> {
    const backend = this.#backend();
    const texts = textsToJudge(request);
    const images = backend?.images === false ? [] : imagesToJudge(request);
    if (texts.length === 0 && images.length === 0) return undefined;
    if (backend === undefined) {
      this.entry = entryOf(false, 'error');
      return undefined;
    }
    try {
      const judgement = await askModeration(backend, { texts, images }, signal);
      const decision = judgement.flagged ? 'block' : 'allow';
      this.entry = entryOf(judgement.flagged, decision, levelOf(judgement.score));
      return judgement;
    } catch (thrown) {
      signal.throwIfAborted();
      this.entry = entryOf(false, 'error');
      if (backend.onFailure === 'allow') return undefined;
      throw new HeadgateError('service_unavailable', 'The moderation service could not judge the request.', {
        cause: thrown,
      });
    }
  }
}

type Level = 'low' | 'medium' | 'high';

function entryOf(flagged: boolean, decision: 'allow' | 'block' | 'error', level?: Level): PipelineEntry {
  return {
    type: 'guardrail',
    name: 'moderation',
    data: { flagged, decision, ...(level !== undefined && { confidence_level: level }) },
  };
}

function levelOf(score: number): Level {
  if (score >= 0.8) return 'high';
  return score >= 0.5 ? 'medium' : 'low';
}

function detailsOf({ reasons, text = '' }: Judgement, provider: string, model: string) {
  return { reasons, flagged_input: shownInput(text), provider_name: provider, model_slug: model };
}

const moderated = new WeakMap<Catalogue, boolean>();

/** Whether any endpoint of a catalogue is moderated; worked out once for each. */
function hasModerated(catalogue: Catalogue): boolean {
  let found = moderated.get(catalogue);
  if (found === undefined) {
    const models = [...catalogue.models.values()];
    found = models.some(({ endpoints }) => endpoints.some(({ isModerated }) => isModerated === true));
    moderated.set(catalogue, found);
  }
  return found;
}

/** Whether a moderated endpoint may serve a request. A name that is no model's id may mean any model. */
function mayNeedModeration({ models }: InferenceRequest, catalogue: Catalogue): boolean {
  if (!hasModerated(catalogue)) return false;
  return models.some((slug) => {
    const model = catalogue.models.get(slug);
    return model === undefined || model.endpoints.some(({ isModerated }) => isModerated === true);
  });
}
