import type { HostedItemType } from '../../../../core/hosted.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader, pickMembers } from '../../../../schema/members.ts';
import { refuseDeep } from '../../../../schema/refuse-deep.ts';
import {
  choice,
  optional,
  type TProperties,
  type TSchema,
  Type,
  text,
} from '../../../../util/json-schema.ts';
import type { ItemKind } from './item-kind.ts';

/** How an item of a tool with kinds of its own is read: its members are checked and kept as they were sent. */
export function hostedItem(type: HostedItemType, members: TProperties, status?: TSchema): ItemKind {
  const stated: TProperties = status === undefined ? {} : { status };
  const schema = Type.Object({ type: choice(type), id: optional(text()), ...members, ...stated });
  const check = createChecker<TSchema>(schema);
  const extraOf = createExtraReader(schema, 'status');
  const names = Object.keys(members).filter((name) => name !== 'id');
  const isCall = type.endsWith('_call');
  return {
    schema,
    read(item, path, { pairing }) {
      check(item, path);
      refuseDeep(item, path);
      // A call may stand between other calls at the end of the input; its own output is not asked for.
      if (!isCall) pairing.other();
      return {
        kind: 'hosted',
        type,
        id: textOf(item.id),
        status: textOf(item.status),
        fields: pickMembers(item, names),
        extra: extraOf(item, path),
      };
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
