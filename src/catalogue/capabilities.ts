import type { Modality, Model } from '../core/catalogue.ts';
import type { Effort } from '../core/request.ts';

/** What a family of models can do, according to its makers' documentation. */
export interface Capabilities {
  readonly input: readonly Modality[];
  readonly reasoning?: NonNullable<Model['reasoning']>;
  /** In tokens. */
  readonly maxCompletionTokens?: number;
}

interface FamilyRow extends Partial<Capabilities> {
  readonly matches: RegExp;
}

const textOnly = ['text'] as const;
const documents = ['text', 'image', 'file'] as const;
const everything = ['text', 'image', 'file', 'audio', 'video'] as const;
const openEfforts: readonly Effort[] = ['high', 'medium', 'low'];
const reasons = { mandatory: false, supportsMaxTokens: true };
const decides = { mandatory: false, supportsMaxTokens: false };
const mustReason = { mandatory: true, supportedEfforts: openEfforts };

/**
 * Rules for facts that the price package lacks; each is matched against the public id, and later rows override single
 * members. Contains only what changes how requests are made, never prices.
 */
const families: readonly FamilyRow[] = [
  { matches: /^openai\/(gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt)/, input: documents },
  { matches: /^openai\/(gpt-[5-9]|o[1-9])/, input: documents, reasoning: { mandatory: false } },
  { matches: /^openai\/(o1-mini|o1-preview|o3-mini)/, input: textOnly },
  { matches: /^openai\/o[1-9]/, reasoning: mustReason },
  { matches: /^openai\/gpt-oss/, reasoning: mustReason },
  { matches: /^openai\/gpt-5(\.\d)?-chat/, reasoning: undefined },
  { matches: /^anthropic\/claude-/, input: documents, reasoning: reasons, maxCompletionTokens: 64_000 },
  { matches: /^anthropic\/claude-[a-z]+-([5-9]|4-[6-9])/, reasoning: decides, maxCompletionTokens: 128_000 },
  // Still accepts budgets, but an effort works better.
  { matches: /^anthropic\/claude-[a-z]+-4-6/, reasoning: { mandatory: false } },
  { matches: /^anthropic\/claude-(fable-|mythos-|opus-5-[5-9])/, reasoning: { ...decides, mandatory: true } },
  { matches: /^anthropic\/claude-opus-4-[01]/, maxCompletionTokens: 32_000 },
  { matches: /^anthropic\/claude-3-/, reasoning: undefined, maxCompletionTokens: 4096 },
  { matches: /^anthropic\/claude-3-5-/, maxCompletionTokens: 8192 },
  { matches: /^anthropic\/claude-3-7-/, reasoning: reasons, maxCompletionTokens: 64_000 },
  { matches: /^google\/gemini-/, input: everything },
  { matches: /^google\/gemini-(2\.5|[3-9])/, reasoning: reasons },
  { matches: /^google\/gemma-/, input: ['text', 'image'] },
  { matches: /^mistralai\/(pixtral|mistral-(small|medium|large)-)/, input: ['text', 'image'] },
  { matches: /^mistralai\/magistral/, reasoning: { mandatory: true } },
  { matches: /^deepseek\/deepseek-(reasoner|r1)/, reasoning: { mandatory: true } },
  { matches: /^deepseek\/deepseek-v/, reasoning: { mandatory: false } },
  { matches: /^x-ai\/grok-([4-9]|2-vision)/, input: ['text', 'image'] },
  { matches: /^x-ai\/grok-(3-mini|[4-9])/, reasoning: { mandatory: false } },
  { matches: /^x-ai\/.*non-reasoning/, reasoning: undefined },
  { matches: /llama-4|-vl-|vision/i, input: ['text', 'image'] },
  { matches: /^perplexity\/sonar/, input: ['text', 'image'] },
  { matches: /^perplexity\/sonar-(reasoning|deep)/, reasoning: { mandatory: true } },
];

/** The capabilities of a model by its public id; text input and no reasoning where no rule says otherwise. */
export function capabilitiesOf(id: string): Capabilities {
  const capabilities: Capabilities = { input: textOnly };
  for (const { matches, ...row } of families) {
    if (matches.test(id)) Object.assign(capabilities, row);
  }
  return capabilities;
}
