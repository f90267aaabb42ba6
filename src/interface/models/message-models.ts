import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../config/config.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import { claudeVia, isShownAnyway } from '../../dialects/messages/model-names.ts';
import type { RouteCall } from '../../edge/route.ts';
import type { Services } from '../../pipeline/services.ts';
import { usableBy } from '../../pipeline/usable-models.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ListedModel } from './describe-model.ts';
import { rowsFor } from './listed-models.ts';

const usualPage = 20;
const largestPage = 1_000;

/** Whether a request comes from a client of the Messages format. */
export function isMessagesClient(headers: IncomingHttpHeaders): boolean {
  const { clientHeader } = messagesDialect;
  return clientHeader !== undefined && headers[clientHeader] !== undefined;
}

interface Entry {
  readonly id: string;
  readonly row: ListedModel;
}

type ListServices = Services & { readonly config: Pick<Config, 'compat'> };

/**
 * A page of the models that write text, as clients of the Messages format list them (docs/spec/messages.md#models).
 * @throws HeadgateError `invalid_request` for a page that cannot be.
 */
export function listMessageModels(
  { caller, query }: Pick<RouteCall, 'caller' | 'query'>,
  services: ListServices,
): JsonObject {
  const entries = entriesFor(caller, services);
  const limit = readLimit(query.limit);
  const after = placeOf(query.after_id, entries);
  const before = placeOf(query.before_id, entries);
  const end = before ?? entries.length;
  const start = after === undefined ? (before === undefined ? 0 : Math.max(0, end - limit)) : after + 1;
  const page = entries.slice(start, Math.min(end, start + limit));
  const hasMore = before === undefined ? start + page.length < end : start > 0;
  return {
    data: page.map(({ id, row }) => describeMessageModel(row, id)),
    has_more: hasMore,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

/** One model as clients of the Messages format see it. */
export function describeMessageModel({ model, endpoints }: ListedModel, id: string): JsonObject {
  const [lead] = endpoints;
  return {
    type: 'model',
    id,
    display_name: model.name,
    created_at: isoTime(model.created * 1_000),
    max_input_tokens: lead?.contextLength ?? model.contextLength ?? null,
    max_tokens: lead?.maxCompletionTokens ?? null,
    capabilities: null,
    description: model.description,
  };
}

function entriesFor(caller: Caller | undefined, services: ListServices): readonly Entry[] {
  const isUsable = caller === undefined ? () => true : usableBy(caller, services);
  const rows = rowsFor(caller, services, isUsable).filter(({ model }) =>
    model.outputModalities.includes('text'),
  );
  const marked = services.config.compat.claudeIds;
  return rows.flatMap((row): Entry[] => {
    const id = row.alias ?? row.model.id;
    const entry = { id, row };
    return marked && !isShownAnyway(id) ? [entry, { id: claudeVia + id, row }] : [entry];
  });
}

function readLimit(value: unknown): number {
  if (value === undefined || value === '') return usualPage;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= largestPage) return limit;
  throw malformed('limit', `expected a whole number, 1 to ${largestPage}`);
}

function placeOf(id: unknown, entries: readonly Entry[]): number | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const place = entries.findIndex((entry) => entry.id === id);
  return place === -1 ? undefined : place;
}
