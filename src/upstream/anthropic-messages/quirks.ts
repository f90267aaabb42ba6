import type { Provider } from '../../core/catalogue.ts';
import { type HostedKind, hostedKindOf } from '../../core/hosted.ts';
import { isObject } from '../../util/json.ts';
import { claudeTraits } from '../claude-model.ts';
import type { MessagesHosting } from './hosting.ts';

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
