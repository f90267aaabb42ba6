import type { TestContext } from 'node:test';
import type { ApiAnswer } from './call-api.ts';
import { eventually } from './eventually.ts';
import { type GuardedGateway, type GuardedOptions, startGuarded } from './guarded-gateway.ts';

/** A gateway that keeps what is said in its default workspace. */
export interface KeepingGateway extends GuardedGateway {
  /** What is kept of a call, once it is. */
  kept(id: string): Promise<ApiAnswer['body']>;
  /** What is answered of a call of which nothing is kept, once everything that was to be kept is. */
  notKept(id: string): Promise<ApiAnswer>;
  /** The path of the default workspace. */
  readonly workspace: string;
  /** What is counted. */
  counted(result: 'kept' | 'dropped'): Promise<number>;
}

/** The id of the call that an answer is of. */
export function idOf({ headers }: { readonly headers: Headers }): string {
  return headers.get('x-generation-id') ?? '';
}

/** Starts one. */
export async function startKeeping(t: TestContext, options: GuardedOptions = {}): Promise<KeepingGateway> {
  const guarded = await startGuarded({
    ...options,
    config: { contentLogging: { enabled: true, keepDays: 90, queue: 32 * 1024 * 1024 }, ...options.config },
    parts: { contentPause: 10, ...options.parts },
  });
  t.after(() => guarded.stop());
  const { manage, gateway, ask } = guarded;
  const { id: accountId, defaultWorkspaceId } = gateway.account;
  await gateway.storage.accounts.update(accountId, { contentLogging: true });
  const workspace = `/workspaces/${defaultWorkspaceId}`;
  const flagged = await manage('PATCH', workspace, { is_observability_io_logging_enabled: true });
  if (flagged.status !== 200) throw new Error(flagged.text);
  const read = (id: string) => manage('GET', `/generation/content?id=${id}`);
  const kept: KeepingGateway['kept'] = async (id) => {
    const { contents } = gateway.storage;
    await eventually(`what was said in ${id}`, () => contents.find(accountId, id, 0));
    const { status, body, text } = await read(id);
    if (status !== 200) throw new Error(text);
    return body.data;
  };
  const counted: KeepingGateway['counted'] = async (result) => {
    const text = await (await gateway.get('/metrics')).text();
    const [, count = '0'] =
      new RegExp(`headgate_content_total\\{result="${result}"\\} (\\d+)`).exec(text) ?? [];
    return Number(count);
  };
  return {
    ...guarded,
    workspace,
    kept,
    counted,
    async notKept(id) {
      const key = await gateway.createKey();
      // What is kept is stored in its order, so once this is there the one before would be.
      await manage('PATCH', workspace, {
        is_observability_io_logging_enabled: true,
        io_logging_sampling_rate: 1,
        io_logging_api_key_ids: null,
      });
      await kept(idOf(await ask('a marker', key)));
      return read(id);
    },
  };
}
