import type { Endpoint, Model } from '../core/catalogue.ts';
import { offeredTools } from '../core/client-tools.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { ReportedPieces } from '../core/limits.ts';
import { type CanonicalRequest, chatOf, type HostedTool } from '../core/request.ts';
import { asksToThink } from '../core/thinking-time.ts';
import { type ImplausibleCount, totalInput, type Usage, withoutOutput } from '../core/usage.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import type { Meter } from './meter.ts';

/** Output tokens where neither the request nor the endpoint has a limit. */
const mostOutput = 131_072;
/** Output tokens that a request may name where its endpoint has no limit. */
const longestAnswer = 1_048_576;
/** Tokens of a context whose length nobody stated, unless more text was sent. */
const mostInput = 2_097_152;
/** Tokens that a provider may count beyond the text that it sent, such as marks between messages. */
const freeOutput = 64;
/** Tokens that a provider may count beyond the text that it got: its own instructions, and JSON around the text. */
const freeInput = 4_096;
/** Tokens of one picture at most; files and sounds are limited by the context alone. */
const mostOfPicture = 16_384;
/** Characters of base64 that a token of speech has at least; no format of sound is shorter. */
const leastOfSpeech = 16;
/** How often a provider that runs tools may read its whole context again for one answer. */
const mostToolRounds = 32;

/** What a provider reported, as far as it can be true. */
export interface JudgedUsage {
  /** Without the token counts that cannot be true; searches that cannot be true are replaced by the estimate. */
  readonly usage: Usage;
  /** Pictures in the answer that count. */
  readonly pictures: number;
  /** Undefined when every count is plausible. */
  readonly implausible: readonly ImplausibleCount[] | undefined;
}

/** Who served, and how many pieces an answer has at most. */
export interface ServedBy {
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly pieces: ReportedPieces;
}

/**
 * Compares all that a provider reported and that has a price with what was sent to it and what came back, and leaves out
 * what cannot be true, so that it is estimated instead. Otherwise one wrong number could charge an account anything
 * (docs/spec/money.md#plausible-usage).
 */
export function plausibleUsage(
  claimed: Usage,
  meter: Meter,
  prompt: MeasuredPrompt,
  served: ServedBy,
): JudgedUsage {
  const judge = new UsageJudge(countable(claimed), meter, prompt, served);
  const usage = judge.output(judge.input(judge.searches()));
  return { usage, pictures: judge.pictures(), implausible: judge.found };
}

class UsageJudge {
  readonly #reported: Usage;
  readonly #meter: Meter;
  readonly #prompt: MeasuredPrompt;
  readonly #served: ServedBy;
  /** Whether the provider may read more than it was sent. */
  readonly #runsTools: boolean;
  found: ImplausibleCount[] | undefined;

  constructor(reported: Usage, meter: Meter, prompt: MeasuredPrompt, served: ServedBy) {
    this.#reported = reported;
    this.#meter = meter;
    this.#prompt = prompt;
    this.#served = served;
    this.#runsTools =
      offeredTools(prompt.request).some(({ kind }) => kind === 'hosted') || searchesAlways(served.endpoint);
  }

  searches(): Usage {
    const { webSearches } = this.#reported;
    if (!webSearches) return this.#reported;
    const most = searchesAtMost(this.#prompt.request, this.#served);
    if (webSearches <= most) return this.#reported;
    this.#note('searches');
    // A report of searches is worth one, even if none was shown.
    return { ...this.#reported, webSearches: Math.min(most, Math.max(1, this.#meter.searches)) };
  }

  pictures(): number {
    const { pictures } = this.#meter;
    if (pictures === 0) return 0;
    const most = picturesAtMost(this.#prompt.request, this.#served);
    if (pictures <= most) return pictures;
    this.#note('pictures');
    return most;
  }

  input(usage: Usage): Usage {
    if (this.#isTooMuchInput(totalInput(usage) ?? 0)) {
      this.#note('input');
      return withoutInput(usage);
    }
    const { audioInput, audioCacheRead, imageInput, cacheWriteLong } = usage;
    const special = (audioInput ?? 0) + (audioCacheRead ?? 0) + (imageInput ?? 0) + (cacheWriteLong ?? 0);
    if (special === 0) return usage;
    const possible = this.#withoutImpossible(usage);
    if (possible !== usage) this.#note('input');
    return possible;
  }

  output(usage: Usage): Usage {
    const { imageOutput = 0, audioOutput = 0, rejectedPrediction = 0 } = usage;
    const most = this.#partsAtMost(imageOutput, audioOutput, rejectedPrediction);
    const unseen =
      Math.min(imageOutput, most.image) +
      Math.min(audioOutput, most.audio) +
      Math.min(rejectedPrediction, most.rejected);
    if (this.#isTooMuchOutput(usage, unseen)) {
      this.#note('output');
      return withoutOutput(usage);
    }
    if (imageOutput <= most.image && audioOutput <= most.audio) return usage;
    this.#note('output');
    return {
      ...usage,
      imageOutput: Math.min(imageOutput, most.image),
      audioOutput: Math.min(audioOutput, most.audio),
    };
  }

  #isTooMuchInput(tokens: number): boolean {
    const { model, endpoint } = this.#served;
    const prompt = this.#prompt;
    // No character is less than a byte; counting bytes is left out for nearly every request.
    const isExplained = tokens <= prompt.atMost / 3 + freeInput;
    const stated = endpoint.contextLength ?? model.contextLength;
    if (isExplained && (stated === undefined || tokens <= stated)) return false;
    const context = stated ?? Math.max(mostInput, prompt.bytes + freeInput);
    if (this.#runsTools) return tokens > context * mostToolRounds;
    // Each text of a call for vectors has the context to itself.
    const contexts = prompt.request.kind === 'embedding' ? prompt.request.inputs.length : 1;
    if (tokens > context * contexts) return true;
    if (isExplained) return false;
    const { pictures, documents, sounds } = prompt.media;
    // The length of a template, and of files and sounds, is known to the provider alone.
    if (documents > 0 || sounds > 0 || chatOf(prompt.request)?.prompt !== undefined) return false;
    return tokens > prompt.bytes + freeInput + pictures * mostOfPicture;
  }

  #isTooMuchOutput({ output = 0, reasoning, imageOutput }: Usage, unseen: number): boolean {
    const limit = outputLimit(this.#prompt.request, this.#served.endpoint);
    const most = Math.max(limit, this.#runsTools ? mostOutput : freeOutput);
    if (output > most) return true;
    // Thoughts and pictures that are counted in the whole alone leave nothing to compare.
    if (
      (!reasoning && this.#mayThink()) ||
      this.#runsTools ||
      (imageOutput === undefined && this.#meter.pictures > 0)
    )
      return false;
    return output - unseen - (reasoning ?? 0) > this.#meter.bytes + freeOutput;
  }

  /** Whether hidden thoughts are possible: the model has them, or they came or were asked for. */
  #mayThink(): boolean {
    const { model } = this.#served;
    return model.reasoning !== undefined || this.#meter.thought || asksToThink(this.#prompt.request);
  }

  /** How many tokens of output that is no text the request and the answer can explain. */
  #partsAtMost(image: number, audio: number, rejected: number) {
    const { request } = this.#prompt;
    const prediction = chatOf(request)?.prediction;
    const { pictures, speech } = this.#meter;
    return {
      // One more than came, because a picture can be made and withheld.
      image: image > 0 && mayDraw(request, this.#served.model) ? (pictures + 1) * mostOfPicture : 0,
      audio: audio > 0 && speech > 0 ? speech / leastOfSpeech + freeOutput : 0,
      rejected: rejected > 0 && prediction ? Buffer.byteLength(prediction) + freeOutput : 0,
    };
  }

  /** Counts as plain input what the request cannot have had: sound, pictures, or a prefix to be kept for an hour. */
  #withoutImpossible(usage: Usage): Usage {
    const { request, media } = this.#prompt;
    const { audioInput = 0, audioCacheRead = 0, imageInput = 0, cacheWriteLong = 0 } = usage;
    const isOpen = this.#runsTools || media.documents > 0 || chatOf(request)?.prompt !== undefined;
    const noSound = audioInput + audioCacheRead > 0 && !isOpen && media.sounds === 0;
    const noPicture = imageInput > 0 && !isOpen && media.pictures === 0 && !hasHostedItems(request);
    const notLong = cacheWriteLong > 0 && !keepsForAnHour(request);
    if (!noSound && !noPicture && !notLong) return usage;
    return {
      ...usage,
      ...(noSound && {
        uncachedInput: (usage.uncachedInput ?? 0) + audioInput,
        cacheRead: (usage.cacheRead ?? 0) + audioCacheRead,
        audioInput: 0,
        audioCacheRead: 0,
      }),
      ...(noPicture && { imageInput: 0 }),
      ...(notLong && { cacheWrite: (usage.cacheWrite ?? 0) + cacheWriteLong, cacheWriteLong: 0 }),
    };
  }

  #note(count: ImplausibleCount): void {
    this.found ??= [];
    this.found.push(count);
  }
}

/** The counts that are counts: whole, not negative and exact. Anything else is unreported. */
function countable(usage: Usage): Usage {
  let clean: { -readonly [Name in keyof Usage]: Usage[Name] } | undefined;
  for (const name in usage) {
    const count = usage[name as keyof Usage];
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue;
    clean ??= { ...usage };
    clean[name as keyof Usage] = undefined;
  }
  return clean ?? usage;
}

/** The most output tokens that an answer can have, as far as is known. */
export function outputLimit(
  { maxOutputTokens }: CanonicalRequest,
  { maxCompletionTokens }: Endpoint,
): number {
  if (maxOutputTokens === undefined) return maxCompletionTokens ?? mostOutput;
  return Math.min(maxOutputTokens, maxCompletionTokens ?? longestAnswer);
}

/** Items of tools that a provider ran may hold pictures. */
function hasHostedItems(request: CanonicalRequest): boolean {
  const items = chatOf(request)?.items ?? [];
  return items.some(({ kind }) => kind === 'hosted' || kind === 'compaction');
}

/** Whether a request asks anywhere for a prefix to be kept for an hour, or for some time in its provider's words. */
function keepsForAnHour(request: CanonicalRequest): boolean {
  if (request.kind !== 'chat') return false;
  const { cacheControl, promptCacheOptions, items, tools } = request;
  if (cacheControl?.ttl === '1h' || promptCacheOptions?.ttl !== undefined) return true;
  return JSON.stringify(tools).includes('"1h"') || JSON.stringify(items).includes('"ttl":"1h"');
}

function withoutInput(usage: Usage): Usage {
  return {
    ...usage,
    uncachedInput: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
    cacheWriteLong: undefined,
    audioInput: undefined,
    audioCacheRead: undefined,
    imageInput: undefined,
  };
}

/**
 * How many searches of a provider one call can have: none where it was not asked to search, else as many as the request
 * allows, and `searches` at most (docs/spec/money.md#plausible-usage).
 */
function searchesAtMost(
  request: CanonicalRequest,
  { endpoint, pieces }: { readonly endpoint: Endpoint; readonly pieces: ReportedPieces },
): number {
  const tools = toolsOf(request, 'web_search');
  // What a template of the provider offers is known to the provider alone.
  const isOpen = chatOf(request)?.prompt !== undefined || searchesAlways(endpoint);
  if (tools.length === 0) return isOpen ? pieces.searches : 0;
  const allowed = tools.reduce((sum, { settings }) => sum + usesOf(settings.max_uses, request), 0);
  return Math.min(allowed, pieces.searches);
}

/** How many pictures an answer can have, in the same way. */
function picturesAtMost(
  request: CanonicalRequest,
  { model, pieces }: { readonly model: Model; readonly pieces: ReportedPieces },
): number {
  return mayDraw(request, model) ? pieces.pictures : 0;
}

/** Whether an answer can have pictures: the model makes them, or may call a tool that does. */
function mayDraw(request: CanonicalRequest, { outputModalities, undeclared }: Model): boolean {
  if (outputModalities.includes('image') || undeclared?.output === true) return true;
  return (
    request.outputModalities.includes('image') ||
    chatOf(request)?.prompt !== undefined ||
    toolsOf(request, 'image_generation').length > 0
  );
}

/** Whether every answer of an endpoint rests on a search, asked for or not. */
function searchesAlways({ provider }: Endpoint): boolean {
  return provider.quirks.webSearch === 'always';
}

function toolsOf(request: CanonicalRequest, kind: HostedKind): readonly HostedTool[] {
  return offeredTools(request).filter((tool) => tool.kind === 'hosted' && tool.tool === kind) as HostedTool[];
}

function usesOf(uses: unknown, request: CanonicalRequest): number {
  const { maxToolCalls = Number.POSITIVE_INFINITY } = chatOf(request) ?? {};
  return typeof uses === 'number' && uses >= 0 ? Math.min(uses, maxToolCalls) : maxToolCalls;
}
