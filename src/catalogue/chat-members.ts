/** Members of that maker's own service. */
export const ownMembers = ['user', 'prompt_cache_key', 'service_tier', 'verbosity'] as const;
/** Members about single tokens. */
export const logitMembers = ['logit_bias', 'logprobs', 'top_logprobs'] as const;
/** What hosts of common inference engines do not support; the engines support the other samplers. */
export const engineOmits = ['top_a', 'prompt_cache_key', 'service_tier', 'verbosity'] as const;
/** What both kinds of hosts accept besides text. */
export const pictures = ['image_url', 'image_data'] as const;
/** Pictures and video. */
export const picturesAndVideo = [...pictures, 'video_url', 'video_data'] as const;
