import type { KindTable } from '../kind-table.ts';
import { customTool } from './custom-tool.ts';
import { functionTool } from './function-tool.ts';
import type { ToolKind } from './tool-kind.ts';

/** Names of the tools this service runs itself (responses.md 5). */
export const serviceTools: ReadonlySet<string> = new Set([
  'service:advisor',
  'service:apply_patch',
  'service:bash',
  'service:datetime',
  'service:experimental__search_models',
  'service:files',
  'service:fusion',
  'service:image_generation',
  'service:shell',
  'service:subagent',
  'service:tool_search',
  'service:web_fetch',
  'service:web_search',
]);

/** Every kind of tool. To serve a kind, write its file and move its name from `later` to a row. */
export const toolKinds: KindTable<ToolKind> = {
  key: 'type',
  rows: new Map([
    ['function', functionTool],
    ['custom', customTool],
  ]),
  later: new Set([
    'namespace',
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview',
    'web_search_preview_2025_03_11',
    'file_search',
    'computer_use_preview',
    'code_interpreter',
    'mcp',
    'image_generation',
    'local_shell',
    'shell',
    'apply_patch',
    ...serviceTools,
  ]),
};
