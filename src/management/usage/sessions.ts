import { nanoFromInteger } from '../../core/money.ts';
import { totalInput } from '../../core/usage.ts';
import { describeEntry } from '../../dialects/service-metadata.ts';
import { apiBase } from '../../edge/route.ts';
import type { UsageSession } from '../../ports/usage.ts';
import { isoTime } from '../../util/iso-time.ts';
import {
  anyObject,
  flag,
  integer,
  list,
  named,
  orNull,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { nano } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { range, rangeOf } from './call-filters.ts';
import { type ListedCall, listCalls } from './calls.ts';
import { CallRow } from './schemas.ts';
import { visibleTo } from './series.ts';
import { keyNames, showCall } from './show.ts';

const maybe = Type.Optional;
const shared = { access: 'key', needs: 'usage', reachesDatabase: true, method: 'GET' } as const;

const sums = {
  calls: integer(),
  failed: integer(),
  from: text({ description: 'When the first of them began' }),
  to: text({ description: 'When the last of them ended' }),
  input_tokens: integer(),
  output_tokens: integer(),
  cost_nano: nano,
};

const Session = named(
  'Session',
  Type.Object({ id: text(), ...sums, user: orNull(text({ description: 'A user that its requests named' })) }),
);

const SessionList = named(
  'SessionList',
  Type.Object({
    data: list(Session),
    searched_to: text(),
    complete: flag({ description: 'Whether these are all of the range; otherwise ask for a shorter one' }),
  }),
);

const SessionRequest = Type.Object({
  id: text(),
  calls: list(CallRow, { description: 'Its turns, in their order' }),
  steps: list(anyObject(), { description: 'What plugins, guardrails, routers and tools did in them' }),
});

const SessionAnswer = named(
  'SessionAnswer',
  Type.Object({
    data: Type.Object({
      id: text(),
      ...sums,
      requests: list(SessionRequest, { description: 'In their order' }),
    }),
    next: orNull(text({ description: 'The cursor of the part before, which is older' })),
    searched_to: text(),
    complete: flag({ description: 'Whether the range was searched to its end' }),
  }),
);

const day = 86_400_000;

/** Requests that belong together, as clients say (docs/spec/sessions.md). */
export const sessionCallRows: readonly Row[] = [
  jsonRow({
    ...shared,
    path: `${apiBase}/sessions`,
    id: 'listSessions',
    summary: 'Sessions of a range, the latest first; a key of inference sees its own calls of them',
    query: Type.Object({
      ...range,
      key: maybe(text({ description: 'The hash of a key' })),
      workspace: maybe(text()),
      limit: integer({ minimum: 1, maximum: 200, default: 50 }),
    }),
    answer: SessionList,
    handle: async ({ actor, query }, services) => {
      const { key: keyHash, workspace: workspaceId, limit } = query;
      const filters = { ...visibleTo(actor, { keyHash, workspaceId }), accountId: actor.account.id };
      const asked = { range: rangeOf(query, services.clock.now()), filters, limit };
      const { sessions, searchedTo, isComplete } = await services.storage.usage.sessions(asked);
      return {
        data: sessions.map(showSession),
        searched_to: isoTime(searchedTo),
        complete: isComplete,
      };
    },
  }),
  jsonRow({
    ...shared,
    path: `${apiBase}/sessions/{id}`,
    id: 'getSession',
    summary:
      'The requests of a session in a range, of 30 days by default: the latest 200 calls of it, in their order',
    query: Type.Object({ ...range, cursor: maybe(text({ maxLength: 400 })) }),
    answer: SessionAnswer,
    handle: async ({ actor, params: { id = '' }, query }, services) => {
      const now = services.clock.now();
      const { from, to } = rangeOf(query, now);
      const asked = {
        range: query.from === undefined ? { from: to - mostDays * day, to } : { from, to },
        filters: {},
        calls: { sessionId: id },
        refused: 'too',
        cursor: query.cursor,
        limit: mostCalls,
      } as const;
      const { calls, next, searchedTo } = await listCalls(actor, asked, services);
      return {
        data: { id, ...sumsOf(calls, now), requests: await showRequests(calls.toReversed(), services) },
        next: next ?? null,
        searched_to: isoTime(searchedTo),
        complete: next === undefined,
      };
    },
  }),
];

const mostDays = 30;
const mostCalls = 200;

function showSession(session: UsageSession): Static<typeof Session> {
  return {
    id: session.id,
    calls: session.calls,
    failed: session.failed,
    from: isoTime(session.from),
    to: isoTime(session.to),
    input_tokens: session.inputTokens,
    output_tokens: session.outputTokens,
    cost_nano: String(session.cost),
    user: session.externalUser ?? null,
  };
}

/** Sums of the calls that are shown. @param now When there are none. */
function sumsOf(calls: readonly ListedCall[], now: number) {
  const all = calls.map(({ generation }) => generation);
  const sum = (of: (one: (typeof all)[number]) => number | undefined) =>
    all.reduce((total, one) => total + (of(one) ?? 0), 0);
  return {
    calls: all.length,
    failed: all.filter(({ errorType }) => errorType !== undefined).length,
    from: isoTime(Math.min(now, ...all.map(({ createdAt }) => createdAt))),
    to: isoTime(Math.max(0, ...all.map(({ settledAt }) => settledAt)) || now),
    input_tokens: sum(({ usage }) => totalInput(usage)),
    output_tokens: sum(({ usage }) => usage.output),
    cost_nano: String(all.reduce((total, { cost }) => nanoFromInteger(total + cost), nanoFromInteger(0))),
  };
}

async function showRequests(calls: readonly ListedCall[], services: InterfaceServices) {
  const catalogue = services.catalogue();
  const keys = await keyNames(
    calls.map(({ generation }) => generation.keyHash),
    services,
  );
  const requests = new Map<string, ListedCall[]>();
  for (const call of calls) {
    const { requestId } = call.generation;
    const known = requests.get(requestId);
    if (known === undefined) requests.set(requestId, [call]);
    else known.push(call);
  }
  return Array.from(requests, ([id, turns]) => ({
    id,
    calls: turns.map((turn) => showCall(turn, catalogue, keys)),
    steps: turns.flatMap(({ generation: { pipeline = [] } }) => pipeline.map(describeEntry)),
  }));
}
