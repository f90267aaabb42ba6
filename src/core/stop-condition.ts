/** What ends the loop of tools before the model does (docs/spec/requests.md#stop-conditions). */
export type StopCondition =
  | { readonly type: 'step_count_is'; readonly stepCount: number }
  | { readonly type: 'has_tool_call'; readonly toolName: string }
  | { readonly type: 'max_tokens_used'; readonly maxTokens: number }
  /** USD. */
  | { readonly type: 'max_cost'; readonly maxCost: number }
  | { readonly type: 'finish_reason_is'; readonly reason: string };
