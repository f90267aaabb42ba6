import { principal } from '../api/session-state.ts';
import { useKeyList } from './keys.ts';
import { choice, choose } from './url.ts';

export interface RunAs {
  /** The key that inference runs as; undefined for a key holder, who runs as itself. */
  readonly hash: string | undefined;
  readonly choices: readonly {
    readonly hash: string;
    readonly name: string;
    readonly workspace_id: string | null;
  }[];
  /** Whether there is none to run as. */
  readonly isMissing: boolean;
  readonly isLoading: boolean;
  /** Why it is not known which there are. */
  readonly error: Error | undefined;
  readonly retry: () => void;
  readonly choose: (hash: string) => void;
}

/** The inference key that a manager tries things as: what it may do and spend holds. */
export function useRunAs(): RunAs {
  const keys = useKeyList();
  const isKey = principal.value?.role === 'key';
  const now = Date.now();
  const choices = (keys.data ?? []).filter(
    ({ disabled, expires_at: end }) => !disabled && (end == null || Date.parse(end) > now),
  );
  const asked = choice('run');
  const hash = isKey ? undefined : (choices.find((key) => key.hash === asked) ?? choices[0])?.hash;
  return {
    hash,
    choices,
    isMissing: !isKey && keys.data !== undefined && choices.length === 0,
    isLoading: !isKey && keys.data === undefined && keys.error === undefined,
    error: keys.data === undefined ? keys.error : undefined,
    retry: keys.reload,
    choose: (run) => choose({ run }, { replace: true }),
  };
}
