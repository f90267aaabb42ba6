import type { UpstreamCall } from '../../ports/upstream.ts';
import type { WireRequest } from '../adapter.ts';
import { encodeOpenaiEmbeddings } from '../embeddings.ts';
import { credentialHeaders } from './encode.ts';
import { chatProfile } from './quirks.ts';

/** Encodes a call for vectors: `POST /embeddings`. Quirk `omit` names members that the provider does not take. */
export function encodeEmbeddings({ request, endpoint }: UpstreamCall): WireRequest {
  const profile = chatProfile(endpoint.provider, endpoint.upstreamModel);
  const body: Record<string, unknown> = { ...encodeOpenaiEmbeddings(endpoint.upstreamModel, request) };
  for (const name of profile.omit) delete body[name];
  return {
    path: '/embeddings',
    headers: credentialHeaders(endpoint.provider, profile),
    body,
    streamed: false,
  };
}
