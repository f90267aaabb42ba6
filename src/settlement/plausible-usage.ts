import type { Endpoint, Model } from '../core/catalogue.ts';
import { offeredTools } from '../core/client-tools.ts';
import { totalInput, type Usage, withoutOutput } from '../core/usage.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import type { Meter } from './meter.ts';

/** Output tokens where neither the request nor the endpoint has a limit. */
const mostOutput = 131_072;
/** Tokens that a provider may count beyond the text that it sent, such as marks between messages. */
const freeOutput = 64;
/** Tokens that a provider may count beyond the text that it got: its own instructions, and JSON around the text. */
const freeInput = 4_096;
/** Tokens of one picture at most; files and sounds are limited by the context alone. */
const mostOfPicture = 16_384;
/** How often a provider that runs tools may read its whole context again for one answer. */
const mostToolRounds = 32;

/** Counts that a provider reported, and those of them that cannot be true. */
export interface JudgedUsage {
  /** Without the counts that cannot be true. */
  readonly usage: Usage;
  /** Undefined when every count is plausible. */
  readonly implausible: 'input' | 'output' | 'both' | undefined;
}

/**
 * Compares the usage a provider reported with what was sent to it and what came back, and leaves out counts that cannot
 * be true, so that they are estimated instead. Otherwise one wrong number could charge an account anything
 * (docs/spec/money.md#plausible-usage).
 */
export function plausibleUsage(
  reported: Usage,
  meter: Meter,
  prompt: MeasuredPrompt,
  served: { readonly model: Model; readonly endpoint: Endpoint },
): JudgedUsage {
  const runsTools = offeredTools(prompt.request).some(({ kind }) => kind === 'hosted');
  const input = isTooMuchInput(totalInput(reported) ?? 0, prompt, served, runsTools);
  const output = isTooMuchOutput(reported, meter, prompt, served, runsTools);
  if (!input && !output) return { usage: reported, implausible: undefined };
  const usage = output ? withoutOutput(reported) : reported;
  return {
    usage: input ? withoutInput(usage) : usage,
    implausible: input && output ? 'both' : input ? 'input' : 'output',
  };
}

function isTooMuchInput(
  tokens: number,
  prompt: MeasuredPrompt,
  { model, endpoint }: { readonly model: Model; readonly endpoint: Endpoint },
  runsTools: boolean,
): boolean {
  const context = endpoint.contextLength ?? model.contextLength ?? Number.POSITIVE_INFINITY;
  if (runsTools) return tokens > context * mostToolRounds;
  if (tokens > context) return true;
  // No character is less than a byte; counting bytes is left out for nearly every request.
  if (tokens <= prompt.atMost / 3 + freeInput) return false;
  const { pictures, documents, sounds } = prompt.media;
  // The length of a template, and of files and sounds, is known to the provider alone.
  if (documents > 0 || sounds > 0 || prompt.request.prompt !== undefined) return false;
  return tokens > prompt.bytes + freeInput + pictures * mostOfPicture;
}

function isTooMuchOutput(
  { output = 0, reasoning, imageOutput, audioOutput = 0, rejectedPrediction = 0 }: Usage,
  meter: Meter,
  { request }: MeasuredPrompt,
  { model, endpoint }: { readonly model: Model; readonly endpoint: Endpoint },
  runsTools: boolean,
): boolean {
  const limit = request.maxOutputTokens ?? endpoint.maxCompletionTokens ?? mostOutput;
  if (output > (runsTools ? Math.max(limit, mostOutput) : Math.max(limit, freeOutput))) return true;
  // Thoughts and pictures that are counted in the whole alone leave nothing to compare.
  const mayThink = reasoning === undefined && (model.reasoning !== undefined || meter.thought);
  const mayDraw = imageOutput === undefined && meter.pictures > 0;
  if (mayThink || mayDraw || runsTools) return false;
  const unseen = (reasoning ?? 0) + (imageOutput ?? 0) + audioOutput + rejectedPrediction;
  return output - unseen > meter.bytes + freeOutput;
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
