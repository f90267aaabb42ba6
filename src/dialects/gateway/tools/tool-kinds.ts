import type { KindTable } from '../../../schema/kind-table.ts';
import { customTool } from './custom-tool.ts';
import { functionTool } from './function-tool.ts';
import { fileSearchTool, mcpTool, namespaceTool, providerTools } from './hosted-tools.ts';
import { builtServiceTools } from './service-tools.ts';
import type { ToolKind } from './tool-kind.ts';
import { webSearchTools } from './web-search-tools.ts';

/** Names of the tools this service runs itself (docs/spec/tools.md#kinds, docs/spec/tools.md#service-tools). */
export const serviceTools: ReadonlySet<string> = new Set([
  'service:advisor',
  'service:apply_patch',
  'service:bash',
  'service:datetime',
  'service:experimental__search_models',
  'service:files',
  'service:fusion',
  'service:image_generation',
  'service:search_models',
  'service:shell',
  'service:subagent',
  'service:tool_search',
  'service:web_fetch',
  'service:web_search',
]);

/** Every kind of tool. To serve a tool of the service's own, give it a row in `builtServiceTools` and a folder in `server-tools`. */
export const toolKinds: KindTable<ToolKind> = {
  key: 'type',
  rows: new Map<string, ToolKind>([
    ['function', functionTool],
    ['custom', customTool],
    ['namespace', namespaceTool],
    ...Object.entries(webSearchTools),
    ['file_search', fileSearchTool],
    ['mcp', mcpTool],
    ...Object.entries(providerTools),
    ...Object.entries(builtServiceTools),
  ]),
  unavailable: serviceTools,
};
