import type { ServiceTool, ServiceType } from '../../../core/tool.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed } from '../../../schema/fault.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { choice, optional, type TProperties, type TSchema, Type, text } from '../../../util/json-schema.ts';
import { withoutNullsDeep } from '../without-nulls.ts';
import type { ReadTool, ToolKind } from './tool-kind.ts';

/** What one tool of the gateway has besides its members. */
interface ServiceRules {
  /** The type id it is read as, where the name is another word for it. */
  readonly as?: ServiceType;
  /** Another word that clients list it by. */
  readonly spelled?: string;
  /** Checks what a schema cannot say, and returns the settings as the tool gets them. @throws HeadgateError `invalid_request`. */
  readonly settle?: (settings: JsonObject, path: string) => JsonObject;
}

/** How a tool of the gateway is read: its settings stand in `parameters` (docs/spec/server-tools.md#kinds). */
export function serviceTool(
  type: ServiceType,
  members: TProperties,
  { as = type, spelled: word = type, settle }: ServiceRules = {},
): ToolKind<ReadTool<ServiceTool>> {
  const parameters = optional(Type.Object(members));
  const schema = Type.Object({ type: choice(word), parameters });
  // An operator may configure another prefix. The kind is already known here, so any text is accepted as the type.
  const checkTool = createChecker<TSchema>(Type.Object({ type: text(), parameters }));
  return {
    schema,
    read(raw, path) {
      checkTool(raw, path);
      // A search that is hidden itself could never find anything.
      if (raw.defer_loading === true) throw malformed(`${path}.defer_loading`, 'is for functions only');
      const { type: spelled, parameters: given } = withoutNullsDeep(raw);
      const written = isObject(given) ? given : {};
      const settings = settle?.(written, `${path}.parameters`) ?? written;
      return {
        tool: { kind: 'service', type: as, spelled: String(spelled), settings },
        echo: { type: word, ...(given !== undefined && { parameters: written }) },
      };
    },
  };
}
