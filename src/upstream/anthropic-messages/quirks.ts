import type { Provider } from '../../core/catalogue.ts';
import { type HostedKind, hostedKindOf } from '../../core/hosted.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { claudeTraits } from '../claude-model.ts';

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

const ownKinds: readonly HostedKind[] = ['web_search', 'code_interpreter', 'mcp'];
/** Vertex offers web search alone. */
const vertexKinds: readonly HostedKind[] = ['web_search'];
const allKinds: ReadonlySet<string> = new Set(Object.values(hostedKindOf));

/**
 * The hosted tools of a provider: quirk `hostedTools`, a list of kinds; compatible providers state an empty list.
 */
export function hostedKinds({ quirks }: Provider, hosting: MessagesHosting): ReadonlySet<HostedKind> {
  const stated = quirks.hostedTools;
  if (!Array.isArray(stated)) return new Set(hosting.takesFileIds ? ownKinds : vertexKinds);
  return new Set(stated.filter((kind): kind is HostedKind => allKinds.has(kind)));
}

/** How an answer is made to fit a schema: quirk `structuredOutput`, else what is known of the model. */
export function structuredOutput(
  { quirks }: Provider,
  upstreamModel = '',
): 'native' | 'forced-tool' | 'instructed' {
  const stated = quirks.structuredOutput;
  if (stated === 'native' || stated === 'forced-tool' || stated === 'instructed') return stated;
  return claudeTraits(upstreamModel)?.schemas === false ? 'forced-tool' : 'native';
}

/**
 * Whether answers cite the documents of a request: quirk `citeDocuments`. Citing splits answers into many blocks.
 */
export function citesDocuments({ quirks }: Provider): boolean {
  return quirks.citeDocuments === true;
}

/** The version of a hosted tool: quirk `toolVersions`, such as `{"web_search": "web_search_20260318"}`. */
export function toolVersion({ quirks }: Provider, tool: string, otherwise: string): string {
  const stated = isObject(quirks.toolVersions) ? quirks.toolVersions[tool] : undefined;
  return typeof stated === 'string' ? stated : otherwise;
}
