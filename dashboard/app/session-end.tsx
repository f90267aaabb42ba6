import { useEffect, useState } from 'preact/hooks';
import { loadSession, logOut } from '../api/session.ts';
import { session } from '../api/session-state.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Milliseconds before the end at which a person is asked. */
const warning = 120_000;

/** Offers to stay before a session ends by lack of use. */
export function SessionEnd() {
  const [isNear, setNear] = useState(false);
  const { idle_ms: idle = 0 } = session.value ?? {};
  useEffect(() => {
    let last = Date.now();
    const note = () => {
      last = Date.now();
    };
    addEventListener('pointerdown', note, { passive: true });
    addEventListener('keydown', note);
    const timer = setInterval(() => setNear(idle > 2 * warning && Date.now() - last > idle - warning), 5_000);
    return () => {
      clearInterval(timer);
      removeEventListener('pointerdown', note);
      removeEventListener('keydown', note);
    };
  }, [idle]);
  if (!isNear) return null;
  return (
    <Dialog title="Still there?" onClose={() => setNear(false)}>
      <p>You will be logged out in two minutes, because nothing was done for a while.</p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => void logOut()}>
          Log out
        </button>
        <button
          type="button"
          class="button primary"
          onClick={() => {
            setNear(false);
            void loadSession();
          }}
        >
          Stay
        </button>
      </div>
    </Dialog>
  );
}
