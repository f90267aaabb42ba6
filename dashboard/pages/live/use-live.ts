import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api/errors.ts';
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
          failure = `${messageOf(error).replace(asksAgain, '')}${asksAgain}`;
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
    const timer = setInterval(() => {
      if (!isHeld()) setLive({ state: latest.current, failure });
    }, pause);
    return () => {
      current?.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', begin);
    };
  }, [name]);
  return live;
}
