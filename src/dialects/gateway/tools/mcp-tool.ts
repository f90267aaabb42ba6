import { byType, choice, flag, list, map, optional, Type, text } from '../../../util/json-schema.ts';
import { hostedTool } from './hosted-tool.ts';

const names = list(text());
const SomeToolsSchema = Type.Object({ tool_names: optional(names), read_only: optional(flag()) });
const ApprovalSchema = Type.Object({
  always: optional(Type.Object({ tool_names: optional(names) })),
  never: optional(Type.Object({ tool_names: optional(names) })),
});

/** `mcp`: an MCP server the provider talks to; its credentials are passed on and never shown. */
export const mcpTool = hostedTool(
  'mcp',
  'mcp',
  {
    server_label: text({ minLength: 1 }),
    server_url: optional(text({ minLength: 1 })),
    connector_id: optional(
      choice(
        'connector_dropbox',
        'connector_gmail',
        'connector_googlecalendar',
        'connector_googledrive',
        'connector_microsoftteams',
        'connector_outlookcalendar',
        'connector_outlookemail',
        'connector_sharepoint',
      ),
    ),
    authorization: optional(text()),
    headers: optional(map(text())),
    server_description: optional(text()),
    allowed_tools: optional(byType(names, SomeToolsSchema)),
    require_approval: optional(byType(choice('always', 'never'), ApprovalSchema)),
  },
  { secret: ['authorization', 'headers'], addresses: ['server_url'] },
);
