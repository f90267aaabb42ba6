import type { Endpoint, Model } from '../core/catalogue.ts';
import { offeredTools } from '../core/client-tools.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { ReportedPieces } from '../core/limits.ts';
import type { CanonicalRequest, HostedTool } from '../core/request.ts';

/**
 * How many searches of a provider one call can have: none where it was not asked to search, else as many as the request
 * allows, and `searches` at most (docs/spec/money.md#plausible-usage).
 */
export function searchesAtMost(
  request: CanonicalRequest,
  { endpoint, pieces }: { readonly endpoint: Endpoint; readonly pieces: ReportedPieces },
): number {
  const tools = toolsOf(request, 'web_search');
  // What a template of the provider offers is known to the provider alone.
  const isOpen = request.prompt !== undefined || searchesAlways(endpoint);
  if (tools.length === 0) return isOpen ? pieces.searches : 0;
  const allowed = tools.reduce((sum, { settings }) => sum + usesOf(settings.max_uses, request), 0);
  return Math.min(allowed, pieces.searches);
}

/** How many pictures an answer can have, in the same way. */
export function picturesAtMost(
  request: CanonicalRequest,
  { model, pieces }: { readonly model: Model; readonly pieces: ReportedPieces },
): number {
  return mayDraw(request, model) ? pieces.pictures : 0;
}

/** Whether an answer can have pictures: the model makes them, or may call a tool that does. */
export function mayDraw(request: CanonicalRequest, { outputModalities, undeclared }: Model): boolean {
  if (outputModalities.includes('image') || undeclared?.output === true) return true;
  return (
    request.outputModalities.includes('image') ||
    request.prompt !== undefined ||
    toolsOf(request, 'image_generation').length > 0
  );
}

/** Whether every answer of an endpoint rests on a search, asked for or not. */
export function searchesAlways({ provider }: Endpoint): boolean {
  return provider.quirks.webSearch === 'always';
}

function toolsOf(request: CanonicalRequest, kind: HostedKind): readonly HostedTool[] {
  return offeredTools(request).filter((tool) => tool.kind === 'hosted' && tool.tool === kind) as HostedTool[];
}

function usesOf(uses: unknown, { maxToolCalls = Number.POSITIVE_INFINITY }: CanonicalRequest): number {
  return typeof uses === 'number' && uses >= 0 ? Math.min(uses, maxToolCalls) : maxToolCalls;
}
