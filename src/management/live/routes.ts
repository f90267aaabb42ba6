import { HeadgateError } from '../../core/errors.ts';
import { authenticate } from '../../edge/authenticate.ts';
import { SessionGate } from '../../edge/dashboard/session-gate.ts';
import type { LiveFilter } from '../../edge/live/live-rows.ts';
import { serveViewer } from '../../edge/live/serve-viewer.ts';
import { apiBase, type KeyedCall } from '../../edge/route.ts';
import { createQueryReader } from '../../schema/read-query.ts';
import { anyOf, choice, flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { type KeyActor, keyActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { makeChange } from '../make-change.ts';
import { answerOf, nano, one, queryFlag } from '../parts.ts';
import { requireOperator, standingOf, withRole } from '../roles.ts';
import { jsonRow, plainRow, type Row } from '../row.ts';
import type { UsesToChange } from '../services.ts';

const LiveRowSchema = named(
  'LiveRequest',
  Type.Object({
    id: text(),
    process: text({ description: 'Its host and process id' }),
    account_id: text(),
    key_hash: text(),
    workspace_id: orNull(text()),
    requested_model: text(),
    model: orNull(text()),
    provider: orNull(text()),
    attempt: integer(),
    phase: choice('admitted', 'waiting', 'streaming', 'tool', 'settling', 'ended'),
    streamed: flag(),
    began_at: text(),
    first_token_ms: orNull(integer()),
    output_tokens: integer({ description: 'As estimated until the provider says' }),
    ceiling_nano: orNull(nano),
    outcome: orNull(choice('ok', 'failed', 'cancelled', 'refused', 'unknown')),
    cost_nano: orNull(nano),
    ended_at: orNull(text()),
  }),
);

/** What `snapshot` holds: all that runs now. */
const LiveSnapshot = named(
  'LiveSnapshot',
  Type.Object({
    as_of: text(),
    running: integer(),
    streams: integer(),
    done: integer({ description: 'Ended well within the last minute, while somebody watched' }),
    failed: integer(),
    rows: list(LiveRowSchema),
  }),
);

/** What the events of the stream hold. */
const LiveData = anyOf(
  LiveSnapshot,
  LiveRowSchema,
  Type.Object({ count: integer() }),
  Type.Object({ reason: text() }),
);

/** A request that is being ended. */
const CancelledCall = answerOf('CancelledRequest', Type.Object({ id: text() }));

const maybe = Type.Optional;
const path = `${apiBase}/live`;
const Query = Type.Object({
  key: maybe(text({ description: 'The hash of a key' })),
  workspace: maybe(text()),
  model: maybe(text()),
  provider: maybe(text()),
  all_accounts: maybe(queryFlag('Of every account; only for operators')),
});
const readQuery = createQueryReader(Query);

/** Running requests (docs/spec/dashboard.md#live). */
export const liveRows: readonly Row[] = [
  plainRow(
    {
      access: 'key',
      needs: 'usage',
      method: 'GET',
      path,
      id: 'watchRequests',
      summary:
        'Running requests as server-sent events, also of other processes that share Redis; a key of inference sees its own',
      description:
        'Needs any key. The stream begins with the event `snapshot`. `begin`, `attempt`, `first`, `tick` and `end` hold one request each, `count` the numbers of the snapshot, `lost` how many batches a slow reader missed, before another `snapshot`, and `bye` why the stream ends. With the header `Last-Event-ID` a client that comes back within a minute gets what it missed instead of a `snapshot`.',
      query: Query,
      answer: text(),
      mediaType: 'text/event-stream',
      events: LiveData,
      failures: ['permission_denied', 'platform_rate_limit'],
    },
    async (call, services) => {
      const filter = await filterOf(call, services);
      const { 'last-event-id': lastId } = call.reply.raw.req.headers;
      const { key, account } = call.caller;
      const role = await standingOf(key, services);
      const viewer = { keyHash: key.hash, accountId: account.id, role };
      const viewed = { viewer, filter, lastId: typeof lastId === 'string' ? lastId : undefined };
      await serveViewer(call.reply, viewed, mayStay(call, services), services);
      return undefined;
    },
  ),
  jsonRow({
    ...one('workspace'),
    method: 'POST',
    path: `${path}/{id}/cancel`,
    id: 'cancelRequest',
    summary: 'End a running request as if its client had left; it is charged so',
    status: 202,
    answer: CancelledCall,
    handle: async ({ actor, params: { id = '' } }, services) => {
      const { runningCalls, liveFeeds } = services;
      const find = async () => {
        const found = runningCalls.running.find(({ facts }) => facts.generationId === id);
        if (found === undefined) return liveFeeds.findElsewhere(id);
        const { account, key } = found.facts.caller;
        return { accountId: account.id, workspaceId: key.workspaceId, cancel: () => found.cancel() };
      };
      await cancelCall(await withRole(actor, services), id, find, services);
      return { data: { id } };
    },
  }),
];

async function filterOf({ caller, query }: KeyedCall, services: InterfaceServices): Promise<LiveFilter> {
  const { key, workspace: workspaceId, model, provider, all_accounts: all } = readQuery(query);
  if (all === true) await requireOperator(keyActor(caller, undefined), services);
  return {
    accountId: all === true ? undefined : caller.account.id,
    keyHash: caller.key.kind === 'inference' ? caller.key.hash : key,
    workspaceId,
    model,
    provider,
  };
}

/** Lets a viewer in again, by its session or its key. */
function mayStay({ arrival, reply }: KeyedCall, services: InterfaceServices): () => Promise<unknown> {
  const { req: request } = reply.raw;
  if (request.url?.startsWith('/ui/') !== true) return async () => authenticate(arrival, services);
  const gate = new SessionGate(services);
  return () => gate.identify(request);
}

/** A running request as far as ending it needs to know it. */
interface EndableCall {
  readonly accountId: string;
  readonly workspaceId: string | null;
  cancel(): void;
}

/**
 * Ends a running request as if its client had left, and notes who did it.
 * @param find The request with the id, as long as it runs.
 * @throws HeadgateError `not_found` for one that does not run, or of another account.
 */
async function cancelCall(
  actor: KeyActor,
  id: string,
  find: () => Promise<EndableCall | undefined>,
  services: UsesToChange<never>,
): Promise<void> {
  return notingRefusal({ actor, action: 'request.cancel', id }, services, async () => {
    const call = await find();
    if (call === undefined || (call.accountId !== actor.account.id && actor.operates !== true)) {
      throw new HeadgateError(
        'not_found',
        'No such request runs here or in another process that shares the same Redis.',
      );
    }
    const { accountId, workspaceId } = call;
    await makeChange(
      { actor, action: 'request.cancel', id, accountId, workspaceId },
      services,
      async () => {},
    );
    call.cancel();
  });
}
