/** Samplers that the dialect's first speaker never had; inference engines do. */
export const foreignSamplers = ['top_k', 'min_p', 'top_a', 'repetition_penalty'] as const;
/** Members of that provider's own service. */
export const ownMembers = ['user', 'prompt_cache_key', 'service_tier', 'verbosity'] as const;
/** Members that look at single tokens. */
export const logitMembers = ['logit_bias', 'logprobs', 'top_logprobs'] as const;
/** What hosts that run common inference engines do not know: the engines take the other samplers. */
export const engineOmits = ['top_a', 'prompt_cache_key', 'service_tier', 'verbosity'] as const;
/** What both kinds of hosts take besides text. */
export const pictures = ['image_url', 'image_data'] as const;
/** Pictures, and moving ones. */
export const picturesAndVideo = [...pictures, 'video_url', 'video_data'] as const;
