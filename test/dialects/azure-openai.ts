import type { DialectScript, ScriptedFailure } from './dialect-script.ts';
import { openaiResponses } from './openai-responses.ts';

const failures: Readonly<Record<ScriptedFailure, { status: number; code: string; type?: string }>> = {
  rate_limit: { status: 429, code: '429' },
  overloaded: { status: 503, code: 'EngineOverloaded' },
  server: { status: 500, code: 'InternalServerError' },
  authentication: { status: 401, code: '401' },
  context_length: { status: 400, code: 'context_length_exceeded', type: 'invalid_request_error' },
  invalid_request: { status: 400, code: 'invalid_payload', type: 'invalid_request_error' },
};

/** Azure's v1 interface: the Responses dialect behind a header and error codes of its own. */
export const azureOpenai: DialectScript = {
  ...openaiResponses,
  adapter: 'azure-openai',
  provider: {},
  credential: 'azure-scripted-key',
  basePath: '/openai/v1',
  failure(kind, message, retryAfter) {
    const { status, ...error } = failures[kind];
    const wait: Record<string, string> =
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return {
      status,
      headers: { 'content-type': 'application/json', 'apim-request-id': 'scripted', ...wait },
      body: [Buffer.from(JSON.stringify({ error: { message, ...error } }))],
    };
  },
};

/** A deployment of Azure at an address of its own: chat completions, named by a structured credential. */
export function azureDeployment(chat: DialectScript): DialectScript {
  const deployment = {
    api_key: 'azure-scripted-key',
    endpoint_url: '{url}/openai/deployments/atlas/chat/completions?api-version=2024-10-21',
    model_id: 'atlas',
    model_slug: 'acme/atlas-4',
  };
  return {
    ...chat,
    adapter: 'azure-openai',
    credential: JSON.stringify([deployment]),
    basePath: '',
    provider: {},
    // Sealed thoughts and pictures are what other speakers of this dialect added to it.
    cannot: new Set([...chat.cannot, 'seal', 'signature', 'encrypted', 'picture']),
    failure: azureOpenai.failure,
  };
}
