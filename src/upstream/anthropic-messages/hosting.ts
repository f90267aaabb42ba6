import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';

/** What a place that serves the dialect makes different. */
export interface MessagesHosting {
  /** Whether documents and pictures may be given by URL, and by the id of an uploaded file. */
  readonly takesUrls: boolean;
  readonly takesFileIds: boolean;
  /** Whether a marker at the top of the body stands for one on the last block. */
  readonly marksEnd: boolean;
  /** Whether thoughts that no longer fit their conversation can be left out by the provider instead of refused. */
  readonly dropsThoughts: boolean;
  /** Puts a body together with path and headers. */
  readonly toWire: (call: UpstreamCall, body: JsonObject, betas: readonly string[]) => WireRequest;
}

/** Names features the maker does not offer to everyone yet. */
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
 * Claude on Vertex: the model stands in the path, the version in the body, and the credential is the caller's
 * business. The path follows `.../projects/<project>/locations/<location>`.
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
