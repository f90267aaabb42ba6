import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';

/** What differs between hosts of the dialect. */
export interface MessagesHosting {
  /** Whether documents and pictures may be given by URL or by the id of an uploaded file. */
  readonly takesUrls: boolean;
  readonly takesFileIds: boolean;
  /** Whether a marker at the top of the body marks the last block. */
  readonly marksEnd: boolean;
  /**
   * Whether the provider can drop thoughts that no longer fit their conversation instead of refusing the request.
   */
  readonly dropsThoughts: boolean;
  /** Combines a body with path and headers. */
  readonly toWire: (call: UpstreamCall, body: JsonObject, betas: readonly string[]) => WireRequest;
}

/** Names features that the maker does not offer to everyone yet. */
const betaHeader = 'anthropic-beta';

/** The maker's own address: `POST /messages`, with a key and a version in headers. */
export const directHosting: MessagesHosting = {
  takesUrls: true,
  takesFileIds: true,
  marksEnd: true,
  dropsThoughts: true,
  toWire({ endpoint }, body, betas) {
    const key = endpoint.provider.apiKey?.reveal();
    return {
      path: '/messages',
      headers: {
        'anthropic-version': '2023-06-01',
        ...(key === undefined ? {} : { 'x-api-key': key }),
      },
      listHeaders: { [betaHeader]: betas },
      body,
      streamed: body.stream === true,
    };
  },
};

/**
 * Claude on Vertex: the model is in the path, the version in the body, and the Vertex adapter adds the credential.
 * The path follows `.../projects/<project>/locations/<location>`.
 */
export const vertexHosting: MessagesHosting = {
  takesUrls: false,
  takesFileIds: false,
  marksEnd: false,
  dropsThoughts: false,
  toWire(_call, { model, ...body }, betas) {
    const method = body.stream === true ? 'streamRawPredict' : 'rawPredict';
    return {
      path: `/publishers/anthropic/models/${encodeURIComponent(String(model))}:${method}`,
      headers: {},
      listHeaders: { [betaHeader]: betas },
      body: { anthropic_version: 'vertex-2023-10-16', ...body },
      streamed: body.stream === true,
    };
  },
};
