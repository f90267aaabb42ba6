import { byKind, choice, Type, text } from '../../../util/json-schema.ts';

/** The container that commands run in: one of the gateway's choice, or one that an earlier answer named. */
export const EnvironmentSchema = byKind('type', {
  container_auto: Type.Object({ type: choice('container_auto') }),
  container_reference: Type.Object({
    type: choice('container_reference'),
    container_id: text({ pattern: '^[\\w-]{1,20}$' }),
  }),
});
