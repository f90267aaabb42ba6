import type { ServerConfig } from '../../config/config.ts';
import { EventStreamWriter, eventStreamHeaders } from '../../http/event-stream.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { Lifecycle } from '../inference-services.ts';
import type { LiveBatch, LiveFeeds } from './live-feeds.ts';
import type { LiveFilter } from './live-rows.ts';
import type { Viewer } from './viewer-places.ts';

/** Milliseconds between two looks whether the viewer may still see this. */
const checkEvery = 3_000;
/** Milliseconds after which a silent stream says that it is there. */
const keepAlive = 10_000;

/** What serving a viewer needs. */
export interface ViewerServices {
  readonly config: { readonly server: ServerConfig };
  readonly clock: { now(): number };
  readonly lifecycle: Pick<Lifecycle, 'draining'>;
  readonly liveFeeds: LiveFeeds;
}

/** Who wants to see what. */
export interface Viewed {
  readonly viewer: Viewer;
  readonly filter: LiveFilter;
  /** The id of the last event that it got, where it comes back. */
  readonly lastId?: string | undefined;
}

/**
 * Streams running requests to a viewer until it leaves (docs/spec/dashboard.md#live). A viewer that reads slowly misses
 * batches, is told how many, and gets everything anew: nothing waits for it in memory.
 * @param mayStay Rejects once the viewer may not see this any more.
 * @throws HeadgateError `platform_rate_limit` for a viewer too many.
 */
export async function serveViewer(
  reply: HttpReply,
  viewed: Viewed,
  mayStay: () => Promise<unknown>,
  services: ViewerServices,
): Promise<void> {
  // A client that left meanwhile would keep its place.
  if (reply.raw.destroyed) return;
  const giveBack = services.liveFeeds.places.take(viewed.viewer, services.clock.now());
  try {
    await stream(reply, viewed, mayStay, services);
  } finally {
    giveBack();
  }
}

async function stream(
  reply: HttpReply,
  { filter, lastId }: Viewed,
  mayStay: () => Promise<unknown>,
  { liveFeeds, config, clock, lifecycle }: ViewerServices,
): Promise<void> {
  const response = reply.raw;
  const headers = { ...reply.headers, ...eventStreamHeaders };
  const { sendTimeout } = config.server;
  const writer = new EventStreamWriter(response, headers, { keepAlive, sendTimeout }, () => ': here\n\n');
  let isBusy = false;
  let lost = 0;
  const send = async (text: string) => {
    if (text === '') return;
    isBusy = true;
    await writer.write(text);
    isBusy = false;
  };
  const leave = (reason: string) => {
    if (!response.destroyed) writer.end(`event: bye\ndata: ${JSON.stringify({ reason })}\n\n`);
    stop();
  };
  const onBatch = ({ text, snapshot }: LiveBatch) => {
    if (lifecycle.draining) leave('the server stops');
    else if (isBusy) lost += 1;
    else if (lost > 0) {
      void send(`event: lost\ndata: ${JSON.stringify({ count: lost })}\n\n${snapshot()}`);
      lost = 0;
    } else void send(text);
  };
  const feed = liveFeeds.join(filter, onBatch, () => clock.now(), lastId);
  const check = setInterval(() => {
    mayStay().catch(() => leave('the session or the key has ended'));
  }, checkEvery);
  const stop = () => {
    clearInterval(check);
    writer.stop();
    feed.leave();
  };
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  void closed.then(stop);
  void send(feed.first);
  await closed;
}
