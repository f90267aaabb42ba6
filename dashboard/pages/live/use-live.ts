import { useEffect, useRef, useState } from 'preact/hooks';
import { awaySince } from '../../api/connection.ts';
import { CallFailure } from '../../api/errors.ts';
import { watchRequests } from '../../api/stream.ts';
import { afterEvent, type LiveState, nothingYet } from './live-state.ts';

/** The running requests and how the connection stands. */
export interface Live {
  readonly state: LiveState;
  /** Why there is no connection at the moment; undefined while there is one. */
  readonly failure: string | undefined;
}

const longestPause = 15_000;
const asksAgain = ' It is asked again by itself.';

/** Browsers have many words for a connection that breaks. */
function whyBroken(error: unknown): string {
  const said = error instanceof CallFailure ? error.message : 'The connection broke.';
  return `${said.replace(asksAgain, '')}${asksAgain}`;
}

/**
 * Follows the running requests while the page is visible.
 * @param isHeld Whether what is shown stays as it is for now; asked at each event.
 */
export function useLive(query: Readonly<Record<string, string>>, isHeld: () => boolean): Live {
  const latest = useRef<LiveState>(nothingYet);
  const [live, setLive] = useState<Live>({ state: nothingYet, failure: undefined });
  const name = JSON.stringify(query);
  useEffect(() => {
    const pause = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1_000 : 250;
    let current: AbortController | undefined;
    let failure: string | undefined;
    let lastId: string | undefined;
    latest.current = nothingYet;
    const follow = async (signal: AbortSignal) => {
      for (let wait = 500; !signal.aborted; wait = Math.min(longestPause, wait * 2)) {
        try {
          for await (const message of watchRequests(query, signal, lastId)) {
            failure = undefined;
            wait = 500;
            lastId = message.id ?? lastId;
            latest.current = afterEvent(latest.current, message, Date.now());
          }
          failure = 'The stream has ended. It begins again by itself.';
        } catch (error) {
          failure = whyBroken(error);
        }
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
      }
    };
    const begin = () => {
      current?.abort();
      current = undefined;
      if (document.hidden) return;
      current = new AbortController();
      void follow(current.signal);
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    let wasAway = false;
    const forget = awaySince.subscribe((since) => {
      if (since === undefined && wasAway) begin();
      wasAway = since !== undefined;
    });
    const timer = setInterval(() => {
      if (!isHeld()) setLive({ state: latest.current, failure });
    }, pause);
    return () => {
      current?.abort();
      clearInterval(timer);
      forget();
      document.removeEventListener('visibilitychange', begin);
    };
  }, [name]);
  return live;
}
