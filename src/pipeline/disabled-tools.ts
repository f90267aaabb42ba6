import { HeadgateError } from '../core/errors.ts';
import type { HostedKind } from '../core/hosted.ts';
import { type AnyRequest, asSpelled } from '../core/inference-request.ts';
import { chatOf, type ServiceTool, type Tool } from '../core/request.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';

/** Hosted tools by the type id of the gateway's tool of that purpose, where the names differ. */
const hostedIds: Partial<Readonly<Record<HostedKind, string>>> = { local_shell: 'service:shell' };

/** Plugins that do what a tool does. */
const pluginIds: Readonly<Record<string, string>> = {
  web: 'service:web_search',
  'web-fetch': 'service:web_fetch',
  fusion: 'service:fusion',
};

/** A word of a request that means a tool. */
interface Use {
  /** The type id of the tool. */
  readonly type: string;
  /** What the request says for it. */
  readonly spelled: string;
}

/**
 * Why a request may not be sent: it names a tool that its workspace has disabled, in whatever spelling, hosted by a provider or
 * not (docs/spec/server-tools.md#disabled-tools). Costs next to nothing where nothing is disabled.
 */
export function refusedTool({ request, caller }: CallFacts): HeadgateError | undefined {
  const disabled = caller.defaults?.disabledTools;
  if (disabled === undefined) return undefined;
  const found = usesOf(request).find(({ type }) => isDisabled(type, disabled));
  if (found === undefined) return undefined;
  const message = `"${found.spelled}": this workspace has disabled the tool "${found.type}"; leave it out`;
  return new HeadgateError('permission_denied', message);
}

/** Whether a tool is among those that a workspace has disabled. */
export function isDisabled(type: string, disabled: readonly string[]): boolean {
  return disabled.some((one) => idOf(one) === idOf(type));
}

/** Model search has two type ids. */
function idOf(type: string): string {
  return type === 'service:search_models' ? 'service:experimental__search_models' : type;
}

function usesOf(request: AnyRequest): readonly Use[] {
  const { canonical, plugins = [], models } = request;
  const { items = [], tools = [], serviceTools = [] } = chatOf(canonical) ?? {};
  const added = items.flatMap((item) => (item.kind === 'additional_tools' ? item.tools : []));
  return [
    ...serviceTools.flatMap(usesOfServiceTool),
    ...[...tools, ...added].flatMap(usesOfTool),
    ...plugins
      .filter(({ enabled }) => enabled)
      .flatMap(({ id, settings }) => usesOfPlugin(id, settings.tools)),
    ...models.flatMap((slug) => usesOfModel(slug, request)),
  ];
}

function usesOfServiceTool({ type, spelled, settings }: ServiceTool): readonly Use[] {
  return [{ type, spelled }, ...usesOfInner(settings.tools)];
}

/** Tools that a tool or plugin has for the models it asks. */
function usesOfInner(tools: unknown): readonly Use[] {
  return Array.isArray(tools) ? (tools as readonly ServiceTool[]).flatMap(usesOfServiceTool) : [];
}

function usesOfTool(tool: Tool): readonly Use[] {
  if (tool.kind === 'hosted') {
    return [{ type: hostedIds[tool.tool] ?? `service:${tool.tool}`, spelled: tool.type }];
  }
  const type = tool.kind === 'function' ? tool.extra?.type : undefined;
  if (typeof type !== 'string' || !type.startsWith('bash_')) return [];
  return [{ type: 'service:bash', spelled: type }];
}

function usesOfPlugin(id: string, tools: unknown): readonly Use[] {
  const type = pluginIds[id];
  return [...(type === undefined ? [] : [{ type, spelled: id }]), ...usesOfInner(tools)];
}

function usesOfModel(slug: string, request: AnyRequest): readonly Use[] {
  const spelled = asSpelled(slug, request);
  const [base, ...variants] = slug.toLowerCase().split(':');
  return [
    ...(variants.includes('online') ? [{ type: 'service:web_search', spelled }] : []),
    ...(base === 'service/fusion' || base === 'service/fusion-flash'
      ? [{ type: 'service:fusion', spelled }]
      : []),
  ];
}
