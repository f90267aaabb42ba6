import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/errors.ts';
import { logIn } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Logo } from '../parts/logo.tsx';
import { queries } from '../state/query.ts';

/** The first thing a person sees. */
export function LoginPage({ failure }: { readonly failure: string | undefined }) {
  useEffect(() => {
    document.title = 'Log in – Headgate';
  }, []);
  return (
    <main class="login">
      <div class="card login-card">
        <h1 class="brand">
          <Logo />
          Headgate
        </h1>
        {failure !== undefined && <p class="note bad">{failure}</p>}
        {isPrivateWay() ? <LoginForm /> : <Unencrypted />}
      </div>
    </main>
  );
}

/** Over a page whose session has ended: what was written stays, and the page goes on. */
export function LoginDialog() {
  return (
    <Dialog title="Your session has ended" onClose={() => undefined} mustStay>
      <p>Log in again to go on. Nothing on the page is lost.</p>
      <LoginForm onDone={() => void queries.invalidateQueries()} />
    </Dialog>
  );
}

function LoginForm({ onDone }: { readonly onDone?: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  useEffect(() => field.current?.focus(), []);
  useEffect(() => field.current?.setAttribute('type', isShown ? 'text' : 'password'), [isShown]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '') return setFailure('Enter a key first.');
    setBusy(true);
    setFailure(undefined);
    try {
      await logIn({ key });
      onDone?.();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <form class="stack" onSubmit={submit}>
      <input
        class="hidden"
        type="text"
        name="username"
        autocomplete="username"
        value="headgate"
        readonly
        tabIndex={-1}
        aria-hidden="true"
      />
      <label class="label" for={id}>
        Management or API key
      </label>
      <div class="secret">
        <input
          ref={field}
          id={id}
          class="field"
          type="password"
          name="password"
          autocomplete="current-password"
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          aria-invalid={failure !== undefined}
        />
        <button type="button" class="button" onClick={() => setShown(!isShown)} aria-pressed={isShown}>
          {isShown ? 'Hide' : 'Show'}
        </button>
      </div>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" class="button primary" disabled={isBusy}>
        {isBusy ? 'Logging in…' : 'Log in'}
      </button>
      <p class="hint" id={`${id}-hint`}>
        A management key shows the whole account, an API key its own calls. Lost it? Run{' '}
        <code>headgate dashboard link</code> where the server runs.
      </p>
    </form>
  );
}

/** Keys must not cross a network as plain text. */
function Unencrypted() {
  return (
    <div class="stack">
      <p class="note warn">This connection is not encrypted, so a key typed here could be read on the way.</p>
      <p>
        Open the dashboard over HTTPS, or through a tunnel:{' '}
        <code>ssh -L 8484:127.0.0.1:8484 your-server</code>, then <code>http://localhost:8484</code>.
      </p>
      <p class="hint">
        In a network that you trust, set <code>server.dashboard.allow_insecure_http: true</code>, then log in
        below.
      </p>
      <details>
        <summary>Log in anyway</summary>
        <LoginForm />
      </details>
    </div>
  );
}

function isPrivateWay(): boolean {
  const { protocol, hostname } = location;
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
