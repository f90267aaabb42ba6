/**
 * Items of the service's own tools that are only reserved: no tool creates them
 * (docs/spec/tools.md#reserved-service-items).
 */
export const reservedServices: ReadonlySet<string> = new Set([
  'service:code_interpreter',
  'service:file_search',
  'service:mcp',
  'service:memory',
  'service:text_editor',
  'service:browser_use',
]);
