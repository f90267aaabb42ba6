import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { AnyRequest } from '../../core/inference-request.ts';
import { type CanonicalRequest, chatOf } from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Secret } from '../../util/secret.ts';
import { request } from '../../util/undici.ts';
import type { FitTarget, Stage, StageContext, StageRun } from '../stage.ts';

/** The service that judges what is sent to models. */
interface ModerationBackend {
  /** `POST {baseUrl}/moderations`. */
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  readonly model: string;
  /** Whether it judges pictures. */
  readonly images: boolean;
  /** Milliseconds that judging a request may take. */
  readonly timeout: number;
  /** What happens to a request that it cannot judge. */
  readonly onFailure: 'allow' | 'refuse';
}

/** What the service is asked about. */
interface Judged {
  /** In pieces. */
  readonly texts: readonly string[];
  /** Addresses of pictures, mostly data URLs. */
  readonly images: readonly string[];
}

/** What the service said. */
interface Judgement {
  readonly flagged: boolean;
  /** Names of the categories it flagged. */
  readonly reasons: readonly string[];
  /** The first text it flagged; of a picture its place among the pictures. */
  readonly text?: string;
  /** How sure it is, 0 to 1: of what it flagged or, where that is nothing, of the worst category. */
  readonly score: number;
}

/** Texts of one question. */
const mostTexts = 16;
/** Pictures that are asked about at the same time, and of one request. */
const mostImages = { atOnce: 4, ofRequest: 64 };
const mostBytes = 4 * 1024 * 1024;

/** Asks the service about texts and pictures. @throws Error when it cannot tell; its message is for logs alone. */
export async function askModeration(
  backend: ModerationBackend,
  { texts, images }: Judged,
  signal: AbortSignal,
): Promise<Judgement> {
  if (images.length > mostImages.ofRequest) throw new Error('There are more pictures than are judged.');
  const until = AbortSignal.any([signal, AbortSignal.timeout(backend.timeout)]);
  let score = 0;
  for (let at = 0; at < texts.length; at += mostTexts) {
    const asked = texts.slice(at, at + mostTexts);
    // Some services know one text only.
    const results = await ask(backend, asked.length === 1 ? asked[0] : asked, asked.length, until);
    for (const [index, result] of results.entries()) {
      const judged = read(result, asked[index] ?? '');
      if (judged.flagged) return judged;
      score = Math.max(score, judged.score);
    }
  }
  for (let at = 0; at < images.length; at += mostImages.atOnce) {
    const asked = images.slice(at, at + mostImages.atOnce);
    const judged = await Promise.all(asked.map((url, index) => askOfImage(backend, url, at + index, until)));
    const flagged = judged.find((one) => one.flagged);
    if (flagged !== undefined) return flagged;
    score = Math.max(score, ...judged.map((one) => one.score));
  }
  return { flagged: false, reasons: [], score };
}

/** One a question, because services that judge pictures take no more. */
async function askOfImage(
  backend: ModerationBackend,
  url: string,
  place: number,
  signal: AbortSignal,
): Promise<Judgement> {
  const input = [{ type: 'image_url', image_url: { url } }];
  const [result = {}] = await ask(backend, input, 1, signal);
  return read(result, `[image ${place + 1}]`);
}

async function ask(
  { baseUrl, apiKey, model, timeout }: ModerationBackend,
  input: unknown,
  count: number,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const response = await request(`${baseUrl}/moderations`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey.reveal()}` }),
    },
    body: JSON.stringify({ model, input }),
    signal,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('The moderation service sent too much.');
    chunks.push(chunk);
  }
  if (response.statusCode !== 200) throw new Error(`It answered with status ${response.statusCode}.`);
  const answer = parseJson(Buffer.concat(chunks).toString('utf8'));
  const results = isObject(answer) && Array.isArray(answer.results) ? answer.results.filter(isObject) : [];
  if (results.length !== count) throw new Error('It judged another number of texts than were sent.');
  return results;
}

function read({ flagged, categories, category_scores: scores }: JsonObject, text: string): Judgement {
  if (typeof flagged !== 'boolean') throw new Error('It did not say whether something is flagged.');
  const reasons = isObject(categories)
    ? Object.keys(categories).filter((name) => categories[name] === true)
    : [];
  const known = isObject(scores) ? scores : {};
  const counted = (flagged ? reasons : Object.keys(known)).map((name) => Number(known[name]));
  const score = Math.max(0, ...counted.filter((one) => Number.isFinite(one)));
  return flagged ? { flagged, reasons, text, score } : { flagged, reasons: [], score };
}

/** Characters of a text that is judged at once. */
const longestText = 30_000;
const longestShown = 100;
const dots = '...';

/** The instructions and all texts of users and operators, or the texts that become vectors, in pieces. */
function textsToJudge(request: CanonicalRequest): readonly string[] {
  if (request.kind === 'embedding') {
    return toPieces(request.inputs.filter((input) => typeof input === 'string').join('\n'));
  }
  const { instructions, items } = request;
  const texts = instructions === undefined ? [] : [instructions];
  for (const item of items) {
    if (item.kind !== 'message' || item.role === 'assistant') continue;
    for (const part of item.content) if (part.kind === 'text') texts.push(part.text);
  }
  return toPieces(texts.join('\n'));
}

/** Addresses of the pictures in messages of users and operators, each once. Those that only a provider can open are left out. */
function imagesToJudge(request: CanonicalRequest): readonly string[] {
  const images = new Set<string>();
  for (const item of chatOf(request)?.items ?? []) {
    if (item.kind !== 'message' || item.role === 'assistant') continue;
    for (const part of item.content) {
      if (part.kind === 'image' && part.url !== undefined) images.add(part.url);
    }
  }
  return [...images];
}

/** What an error shows of a text: long ones without their middle. */
function shownInput(text: string): string {
  if (text.length <= longestShown) return text;
  const kept = longestShown - dots.length;
  const head = Math.ceil(kept / 2);
  return (text.slice(0, head) + dots + text.slice(text.length - (kept - head))).toWellFormed();
}

function toPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += longestText) pieces.push(text.slice(at, at + longestText));
  return pieces.filter((piece) => piece.trim() !== '');
}

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
    takesEveryKind: true,
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

  async prepare(request: AnyRequest, context: StageContext): Promise<AnyRequest> {
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
function mayNeedModeration({ models }: AnyRequest, catalogue: Catalogue): boolean {
  if (!hasModerated(catalogue)) return false;
  return models.some((slug) => {
    const model = catalogue.models.get(slug);
    return model === undefined || model.endpoints.some(({ isModerated }) => isModerated === true);
  });
}
