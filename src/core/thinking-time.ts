import type { Model, Timeouts } from './catalogue.ts';
import { type CanonicalRequest, chatOf } from './request.ts';

const minute = 60_000;

/** Limits of attempts where nothing else is configured, in milliseconds. */
export const usualTimeouts: Timeouts = {
  connect: 10_000,
  firstEvent: 2 * minute,
  total: 10 * minute,
  idle: minute,
};
/** The same of requests that may think: models are silent for minutes then. */
const thinkingTimeouts = { firstEvent: 10 * minute, total: 60 * minute, idle: 10 * minute } as const;

/** `server.request_timeout` where nothing else is configured, in milliseconds. */
export const usualRequestTimeout = 10 * minute;
const thinkingRequestTimeout = 60 * minute;

/** Whether a request asks a model to think that does so on demand. */
export function asksToThink(request: CanonicalRequest): boolean {
  const { effort, maxTokens } = chatOf(request)?.reasoning ?? {};
  return maxTokens !== undefined || (effort !== undefined && effort !== 'none');
}

/** Whether a model may think before it answers: it was asked to, or it can and was not asked not to. */
export function mayThink(request: CanonicalRequest, models: readonly Pick<Model, 'reasoning'>[]): boolean {
  if (asksToThink(request)) return true;
  return (
    chatOf(request)?.reasoning?.effort !== 'none' && models.some((model) => model.reasoning !== undefined)
  );
}

/** The limits of an attempt at which the model may think: longer where the defaults hold (docs/spec/routing.md#attempts). */
export function whileThinking(configured: Timeouts): Timeouts {
  const { firstEvent, total, idle } = configured;
  return {
    ...configured,
    ...(firstEvent === usualTimeouts.firstEvent && { firstEvent: thinkingTimeouts.firstEvent }),
    ...(total === usualTimeouts.total && { total: thinkingTimeouts.total }),
    ...(idle === usualTimeouts.idle && { idle: thinkingTimeouts.idle }),
  };
}

/** `server.request_timeout` where the model may think, in milliseconds: longer where the default holds. */
export function requestTimeoutWhileThinking(configured: number): number {
  return configured === usualRequestTimeout ? thinkingRequestTimeout : configured;
}
