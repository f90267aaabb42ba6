import type { Endpoint, Model, Provider } from '../../src/core/catalogue.ts';
import { type CanonicalChat, plainChat } from '../../src/core/request.ts';
import { roomOf } from '../../src/ports/answer-room.ts';
import type { UpstreamCall } from '../../src/ports/upstream.ts';
import { Secret } from '../../src/util/secret.ts';
import { patientTimeouts } from '../support/timeouts.ts';

/** What a test wants different from the usual call. */
export interface CallChanges {
  readonly request?: Partial<CanonicalChat>;
  readonly provider?: Partial<Provider>;
  readonly endpoint?: Partial<Endpoint>;
  readonly model?: Partial<Model>;
  readonly streamed?: boolean;
  readonly signal?: AbortSignal;
  /** The longest answer, in bytes. */
  readonly limit?: number;
  readonly onBody?: (body: unknown) => void;
  readonly onSent?: () => void;
  readonly onPaused?: (isPaused: boolean) => void;
  readonly onWhole?: () => void;
}

/** The API key of the usual provider. */
export const testApiKey = 'nk-0123456789abcdef';

/** A streamed call of the model `acme/atlas-4` at the provider NorthGPU: one user message, nothing else set. */
export function createCall(changes: CallChanges = {}): UpstreamCall {
  const provider: Provider = {
    slug: 'northgpu',
    name: 'NorthGPU',
    adapter: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKey: new Secret(testApiKey),
    headers: {},
    quirks: {},
    timeouts: patientTimeouts,
    retainsPrompts: false,
    trainsOnPrompts: false,
    publishesPrompts: false,
    ...changes.provider,
  };
  const endpoint: Endpoint = {
    provider,
    upstreamModel: 'atlas-4-instruct',
    tag: provider.slug,
    tier: 'default',
    ...changes.endpoint,
  };
  const model: Model = {
    id: 'acme/atlas-4',
    canonicalSlug: 'acme/atlas-4',
    name: 'Acme Atlas 4',
    description: '',
    created: 1_767_225_600,
    inputModalities: ['text'],
    outputModalities: ['text'],
    endpoints: [endpoint],
    ...changes.model,
  };
  const signal = changes.signal ?? new AbortController().signal;
  const { streamed = true, onBody, onSent, onPaused, onWhole } = changes;
  const request = createRequest(changes.request);
  const room = roomOf(changes.limit ?? 32 * 1024 * 1024);
  return { request, model, endpoint, streamed, signal, room, onBody, onSent, onPaused, onWhole };
}

function createRequest(changes: Partial<CanonicalChat> = {}): CanonicalChat {
  return plainChat(
    [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hello there' }] }],
    changes,
  );
}
