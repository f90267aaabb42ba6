import type { Effort } from '../../core/efforts.ts';
import { noRoomForBudget, reasoningBudget, reasoningEffort } from '../../core/reasoning-effort.ts';
import type { ReasoningItem } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import { mergeMembers } from './merge-members.ts';
import type { ChatProfile } from './quirks.ts';

type Control = ChatProfile['reasoningControls'][number];

/** The requested reasoning, in every unit that a provider may want. */
interface RequestedReasoning {
  readonly on: boolean;
  readonly effort: Effort | undefined;
  /** In tokens; undefined when the caller stated none and the output limit is unknown. */
  readonly budget: number | undefined;
  /** Whether the caller stated the budget as a number. */
  readonly exact: boolean;
}

/** Without a stated limit, efforts become shares of this many tokens. */
const presumedOutputLimit = 32_768;

/** The body members that control reasoning; none when the request sets no degree. */
export function encodeReasoning(call: UpstreamCall, profile: ChatProfile): JsonObject {
  const requested = readRequestedReasoning(call, profile);
  if (requested === undefined) return {};
  const { reasoningControls: controls } = profile;
  let members: JsonObject = {};
  for (const control of controls) members = mergeMembers(members, encoders[control](requested, controls));
  const { maxOutputTokens: limit } = call.request;
  const { on, budget } = requested;
  const isExceeded = on && limit !== undefined && budget !== undefined && budget >= limit;
  if (isExceeded && controls.includes('thinking.budget_tokens')) throw noRoomForBudget(limit, budget);
  return members;
}

function readRequestedReasoning(
  { request, model, endpoint }: UpstreamCall,
  { efforts }: ChatProfile,
): RequestedReasoning | undefined {
  const control = request.reasoning;
  if (control?.effort === undefined && control?.maxTokens === undefined) return undefined;
  const limit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const supported = model.reasoning?.supportedEfforts ?? efforts;
  const effort = reasoningEffort(control, limit, supported);
  // If `none` is the only supported effort, every other effort is the provider's default.
  const isWord = effort !== undefined && (!supported?.length || supported.includes(effort));
  return {
    on: control.maxTokens !== undefined || control.effort !== 'none',
    effort: isWord ? effort : undefined,
    budget: reasoningBudget(control, limit ?? presumedOutputLimit),
    exact: control.maxTokens !== undefined,
  };
}

type Encoder = (requested: RequestedReasoning, controls: readonly Control[]) => JsonObject;

const encoders: Readonly<Record<Control, Encoder>> = {
  // Where another member turns reasoning off, `none` is not sent as an effort.
  reasoning_effort: ({ on, effort }, controls) =>
    on || controls.length === 1 ? { reasoning_effort: effort } : {},
  reasoning: ({ on, effort, budget, exact }) => {
    if (!on) return { reasoning: { enabled: false } };
    return { reasoning: exact ? { max_tokens: budget } : { effort } };
  },
  'reasoning.enabled': ({ on }) => ({ reasoning: { enabled: on } }),
  thinking: ({ on }) => ({ thinking: { type: on ? 'enabled' : 'disabled' } }),
  'thinking.adaptive': ({ on }) => ({ thinking: { type: on ? 'adaptive' : 'disabled' } }),
  'thinking.budget_tokens': ({ on, budget }) => ({
    thinking: on ? { type: 'enabled', budget_tokens: budget } : { type: 'disabled' },
  }),
  enable_thinking: ({ on }) => ({ enable_thinking: on }),
  thinking_budget: ({ on, budget }) => (on ? { thinking_budget: budget } : {}),
  'chat_template_kwargs.enable_thinking': ({ on }) => ({ chat_template_kwargs: { enable_thinking: on } }),
  'chat_template_kwargs.thinking': ({ on }) => ({ chat_template_kwargs: { thinking: on } }),
};

/** Reasoning of earlier turns as text: the thoughts themselves, else their summary. */
export function reasoningText(items: readonly ReasoningItem[]): string {
  return items.flatMap((item) => (item.content.length > 0 ? item.content : item.summary)).join('\n');
}

/**
 * Reasoning of earlier turns in typed pieces. Blobs and signatures go only to a provider that reads their format.
 */
export function reasoningDetails(
  items: readonly ReasoningItem[],
  { sealedFormats }: ChatProfile,
): JsonObject[] {
  const details = items.flatMap((item) => {
    const { format = 'unknown', summary, content, encrypted, signature } = item;
    const readable = sealedFormats.includes(format);
    const pieces: JsonObject[] = [
      ...summary.map((text) => ({ type: 'reasoning.summary', summary: text, format })),
      ...content.map((text, place) => ({
        type: 'reasoning.text',
        text,
        ...(readable && place === content.length - 1 ? { signature } : {}),
        format,
      })),
    ];
    if (readable && encrypted !== undefined)
      pieces.push({ type: 'reasoning.encrypted', data: encrypted, format });
    return pieces;
  });
  return details.map((detail, index) => ({ ...detail, index }));
}
