import { request } from './client.ts';
import { CallFailure } from './errors.ts';
import { hasExpired, keepCsrf, type Session, session } from './session-state.ts';

interface Answer {
  readonly data: Session & { readonly csrf?: string };
}

/** Asks whether there is a session. */
export async function loadSession(): Promise<void> {
  try {
    const response = await request('GET', 'ui/session');
    const { data }: Answer = await response.json();
    session.value = data;
    hasExpired.value = false;
  } catch (error) {
    if (!(error instanceof CallFailure) || (error.status !== 401 && error.status !== 403)) throw error;
    session.value = null;
  }
}

/** Logs in with a key or the code of a link. @throws CallFailure. */
export async function logIn(body: { readonly key: string } | { readonly code: string }): Promise<void> {
  await begin('ui/session', body);
}

/** Adds a key to the session. @throws CallFailure. */
export async function addPrincipal(key: string): Promise<void> {
  await begin('ui/session/principals', { key });
}

/** Notes that the key which acts was typed again. @throws CallFailure for another key. */
export async function confirmKey(key: string): Promise<void> {
  const response = await request('POST', 'ui/session/confirmation', { body: { key } });
  const { data }: Answer = await response.json();
  session.value = data;
}

/** A session of the key that acts. */
export interface OwnSession {
  readonly id: string;
  readonly current: boolean;
  readonly browser: string;
  readonly address: string | null;
  readonly created_at: string;
  readonly used_at: string;
  readonly ends_at: string;
}

/** The sessions of the key that acts, in any browser. */
export async function listSessions(signal: AbortSignal): Promise<readonly OwnSession[]> {
  const response = await request('GET', 'ui/sessions', { signal });
  const { data }: { readonly data: readonly OwnSession[] } = await response.json();
  return data;
}

/** Ends another session. @throws CallFailure. */
export async function endSession(id: string): Promise<void> {
  await request('DELETE', `ui/sessions/${encodeURIComponent(id)}`);
}

/** Ends the session, here or of the key everywhere. */
export async function logOut(everywhere = false): Promise<void> {
  await request('DELETE', everywhere ? 'ui/sessions' : 'ui/session').catch(() => undefined);
  leave();
  endings.postMessage('ended');
}

/** Tells the other tabs of this browser, which have the same session, that it has ended. */
const endings = new BroadcastChannel('headgate-session');
endings.onmessage = leave;

/** Forgets the session in this tab; the page goes with it. */
function leave(): void {
  keepCsrf(null);
  sessionStorage.clear();
  session.value = null;
  hasExpired.value = false;
}

async function begin(path: string, body: object): Promise<void> {
  const response = await request('POST', path, { body });
  const { data }: Answer = await response.json();
  keepCsrf(data.csrf ?? null);
  session.value = data;
  hasExpired.value = false;
}
