/** Tools of the gateway that a workspace can switch off, as people know them. */
export const gatewayTools = {
  'service:web_search': 'Web search',
  'service:web_fetch': 'Reading web pages',
  'service:image_generation': 'Making pictures',
  'service:files': 'Files',
  'service:shell': 'Shell',
  'service:bash': 'Bash',
  'service:apply_patch': 'Patches',
  'service:advisor': 'Advisor',
  'service:subagent': 'Workers',
  'service:fusion': 'Fusion',
  'service:search_models': 'Search of models',
  'service:experimental__search_models': 'Search of models, older name',
  'service:tool_search': 'Search of tools',
  'service:datetime': 'Date and time',
} as const;

const names: Readonly<Record<string, string>> = gatewayTools;

/** A tool in words; one that is not known here by its type. */
export function toolName(type: string): string {
  return names[type] ?? type;
}
