import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/errors.ts';
import { loadSession, logIn } from '../api/session.ts';
import { actingNumber, csrf, hasExpired, session } from '../api/session-state.ts';
import { queries } from '../state/query.ts';
import { choice, followLinks } from '../state/url.ts';
import { LoginDialog, LoginPage } from './login.tsx';
import { Shell } from './shell.tsx';

/** The whole application: the login, or the shell with a page in it. */
export function App() {
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    document.addEventListener('click', followLinks);
    begin().catch((error: unknown) => {
      session.value = null;
      setFailure(messageOf(error));
    });
    return () => document.removeEventListener('click', followLinks);
  }, []);
  const hasLeft = session.value === null;
  useEffect(() => {
    if (hasLeft) queries.clear();
  }, [hasLeft]);
  const as = Number(choice('as') ?? 1);
  if (Number.isInteger(as) && as > 0) actingNumber.value = as;
  if (session.value === undefined) return null;
  if (session.value === null) return <LoginPage failure={failure} />;
  return (
    <>
      <Shell />
      {hasExpired.value && <LoginDialog />}
    </>
  );
}

/** Redeems the code of a link, where the address has one, or asks for the session. */
async function begin(): Promise<void> {
  const code = /^#login=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) {
    if (csrf() !== null) return loadSession();
    // Without its token no session can be used.
    session.value = null;
    return;
  }
  // Before anything else can read or keep it.
  history.replaceState(null, '', location.pathname + location.search);
  await logIn({ code });
}
