import type { HostedKind } from '../../../core/hosted.ts';
import { createChecker } from '../../../schema/checker.ts';
import type { JsonObject } from '../../../util/json.ts';
import { choice, type TProperties, type TSchema, Type } from '../../../util/json-schema.ts';
import { shownUrl } from '../../../util/shown-url.ts';
import { withoutNullsDeep } from '../without-nulls.ts';
import type { ToolKind } from './tool-kind.ts';

/** What one kind of hosted tool has besides its members. */
interface HostedRules {
  /** Members that are credentials: for the provider only, never repeated. */
  readonly secret?: readonly string[];
  /** Members that are addresses, repeated without the credentials they may hold. */
  readonly addresses?: readonly string[];
  /** Checks what a schema cannot say. @throws HeadgateError `invalid_request`. */
  readonly check?: (tool: JsonObject, path: string) => void;
}

/** How a tool with a kind of its own is read: its members are checked and kept as they were sent. */
export function hostedTool(
  tool: HostedKind,
  type: string,
  members: TProperties,
  { secret = [], addresses = [], check }: HostedRules = {},
): ToolKind {
  const schema = Type.Object({ type: choice(type), ...members });
  const checkMembers = createChecker<TSchema>(schema);
  return {
    schema,
    hosted: tool,
    read(raw, path) {
      checkMembers(raw, path);
      check?.(raw, path);
      const { type: _type, ...settings } = withoutNullsDeep(raw);
      const shown = Object.entries(settings).flatMap(([key, value]) => {
        if (secret.includes(key)) return [];
        return [[key, addresses.includes(key) ? shownUrl(String(value)) : value]];
      });
      return { tool: { kind: 'hosted', tool, type, settings }, echo: { type, ...Object.fromEntries(shown) } };
    },
  };
}
