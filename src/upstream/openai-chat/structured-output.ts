import type { ChatProfile } from './quirks.ts';

/** Whether a provider accepts a schema. */
export function takesSchemas(form: ChatProfile['structuredOutput']): boolean {
  return form === 'json_schema' || form === 'json_schema_only' || form === 'json_object_schema';
}

/** Whether a provider can enforce JSON without a schema. */
export function takesJsonMode(form: ChatProfile['structuredOutput']): boolean {
  return form === 'json_schema' || form === 'json_object_schema' || form === 'json_object';
}
