/** What prices are called in answers, by what they are called in the catalogue. */
export const publicPriceNames = {
  prompt: 'prompt',
  completion: 'completion',
  request: 'request',
  image: 'image',
  imageToken: 'image_token',
  imageOutput: 'image_output',
  imageOutputToken: 'image_output_token',
  webSearch: 'web_search',
  reasoning: 'internal_reasoning',
  cacheRead: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  cacheWriteLong: 'input_cache_write_1h',
  audioInput: 'audio',
  audioCacheRead: 'input_audio_cache',
  audioOutput: 'audio_output',
} as const;

/** A name of a price in answers. */
export type PriceName = (typeof publicPriceNames)[keyof typeof publicPriceNames];

/** Every name of a price in answers. */
export const priceNames: readonly PriceName[] = Object.values(publicPriceNames);
