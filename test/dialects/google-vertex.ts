import { createServiceAccountKey } from '../support/service-account-key.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import type { DialectScript } from './dialect-script.ts';
import { googleGemini } from './google-gemini.ts';

const onVertex = {
  adapter: 'google-vertex',
  provider: { tokenOrigins: ['{url}'] },
  credential: createServiceAccountKey({ token_uri: '{url}/token' }),
  basePath: '/v1',
} as const;

/** Gemini on Vertex: the developer interface's words under a project's path, with a token. */
export const vertexGemini: DialectScript = { ...googleGemini, ...onVertex };

/** Claude on Vertex: its maker's words under a project's path, with a token. */
export const vertexClaude: DialectScript = {
  ...anthropicMessages,
  ...onVertex,
  model: 'claude-opus-4-1@20250805',
};
