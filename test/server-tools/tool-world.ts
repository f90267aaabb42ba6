import assert from 'node:assert/strict';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { checkStream, type WireEvent } from '../stream-checker.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract, checkContractAt } from '../support/contract.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';
import { callStream } from '../turns/second-opinion.ts';

/** A turn that calls tools, with the arguments of each. */
export const calls = (...list: (readonly [name: string, input: object | string])[]): Script => ({
  steps: callStream(
    ...list.map(
      ([name, input]) => [name, typeof input === 'string' ? input : JSON.stringify(input)] as const,
    ),
  ),
});

/** A request as a provider of chat completions got it. */
export interface SentBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice?: unknown;
  readonly temperature?: number;
}

/** The body of a request to a provider, by its number. */
export function sent({ requests }: FakeUpstream, place: number): SentBody {
  const request = requests[place];
  assert.ok(request, `there is no request ${place}`);
  return request.body as SentBody;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
export type Read = any;

/** A gateway before several models, each at a provider of its own. */
export interface ToolWorld extends AsyncDisposable {
  readonly gateway: TestGateway;
  /** The provider of a model, by the model's slug. */
  upstream(slug: string): FakeUpstream;
  /** Asks the first model through `POST /responses`, and checks the answer against the contract. */
  ask(body: object): Promise<Read>;
  /** The same as a stream: its events, each checked against the contract. */
  stream(body: object): Promise<readonly WireEvent[]>;
}

/**
 * Starts one. The ledger is verified when it is disposed of.
 * @param scripts The turns of each model, by its slug; the first one answers.
 */
export async function startToolWorld(
  scripts: Readonly<Record<string, readonly Script[]>>,
  options: Omit<GatewayOptions, 'models'> = {},
): Promise<ToolWorld> {
  const upstreams = new Map<string, FakeUpstream>();
  const slugs = Object.keys(scripts);
  for (const slug of slugs) upstreams.set(slug, await startFakeUpstream(...(scripts[slug] ?? [])));
  const models = Array.from(upstreams, ([slug, { url }], at) =>
    modelOf(slug, [providerOf({ slug: `north-${at}`, baseUrl: `${url}/v1` })]),
  );
  const gateway = await startGateway({ ...options, models });
  const [first] = slugs;
  const ask = (body: object) => gateway.post({ model: first, input: 'Shall I?', ...body });
  return {
    gateway,
    upstream(slug) {
      const found = upstreams.get(slug);
      assert.ok(found);
      return found;
    },
    async ask(body) {
      const response = await ask(body);
      const read = await response.json();
      if (response.status === 200) checkContract('OpenResponsesResult', read);
      return { httpStatus: response.status, ...(read as object) };
    },
    async stream(body) {
      const events = readEvents(await (await ask({ ...body, stream: true })).text());
      checkStream(events);
      for (const event of events) {
        if (!/^response\.(created|in_progress|completed)$/.test(event.type)) checkEvent(event);
      }
      return events;
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      for (const upstream of upstreams.values()) await upstream.close();
    },
  };
}

/** The events of a stream of `POST /responses`. */
export function readEvents(stream: string): readonly WireEvent[] {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line): WireEvent => JSON.parse(line.slice('data: '.length)));
}

/** Checks an event against the contract; those of items of the gateway's tools are checked by their item. */
export function checkEvent(event: WireEvent): void {
  const item = event.item as { readonly type: string } | undefined;
  if (item?.type.startsWith('service:')) checkContractAt('/components/schemas/OutputItems', item);
  else checkContractAt('/components/schemas/StreamEvents', event);
}
