import type { MessagesExtra } from '../../../core/request.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import { type MessagesRequest, messagesRequestFields } from './messages-request-schema.ts';

const known: ReadonlySet<string> = new Set(messagesRequestFields);

/** Names that routing and billing depend on. They are never extras, even where a client sends them. */
const reserved: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'models',
  'provider',
  'plugins',
  'user',
  'metadata',
  'service_tier',
  'debug',
  'trace',
  'preset',
  'session_id',
]);

/**
 * The members of a body that only providers of this format understand (docs/spec/messages.md#extras): unknown ones, and
 * known ones without a canonical form. Undefined without any.
 * @param attribution The system block that names the request for billing.
 */
export function extrasOf(
  raw: JsonObject,
  body: WithoutNulls<MessagesRequest>,
  attribution: string | undefined,
): MessagesExtra | undefined {
  const members: Record<string, unknown> = {};
  for (const key in raw) {
    if (known.has(key) || reserved.has(key) || raw[key] === null || raw[key] === undefined) continue;
    refuseDeep(raw[key], key);
    define(members, key, raw[key]);
  }
  if (body.context_management !== undefined) {
    refuseDeep(body.context_management, 'context_management');
    members.context_management = body.context_management;
  }
  const taskBudget = body.output_config?.task_budget ?? undefined;
  if (taskBudget === undefined && attribution === undefined && Object.keys(members).length === 0) {
    return undefined;
  }
  return { members, attribution, taskBudget };
}

/** A key named __proto__ stays an ordinary key. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
