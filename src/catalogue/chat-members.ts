/** Samplers that the dialect's first speaker never had. */
export const foreignSamplers = ['top_k', 'min_p', 'top_a', 'repetition_penalty'] as const;
/** Members of that provider's own service. */
export const ownMembers = ['user', 'prompt_cache_key', 'service_tier', 'verbosity'] as const;
/** Members that look at single tokens. */
export const logitMembers = ['logit_bias', 'logprobs', 'top_logprobs'] as const;
