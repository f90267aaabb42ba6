/** The makers of opaque reasoning blobs (docs/spec/items.md#reasoning-formats). */
export const reasoningFormats = [
  'unknown',
  'openai-responses-v1',
  'azure-openai-responses-v1',
  'bedrock-openai-responses-v1',
  'bedrock-xai-responses-v1',
  'xai-responses-v1',
  'meta-responses-v1',
  'anthropic-claude-v1',
  'google-gemini-v1',
] as const;
