import { principal, session } from '../../api/session-state.ts';
import { limitZone } from '../../state/limit-calendar.ts';
import { type Preferences, prefer, preferences } from '../../state/preferences.ts';
import { plain } from '../../text/format.ts';
import { Configuration } from './configuration.tsx';
import { Sessions } from './sessions.tsx';

const roles = {
  key: 'An API key: it sees its own calls.',
  manager: 'A management key: it sees and changes its account.',
  operator: 'A management key of an operator: it sees its account and the installation.',
} as const;

/** What a person prefers in this browser, and where they are logged in. */
export function SettingsPage() {
  const mine = principal.value;
  return (
    <div class="page settings-page">
      <div class="page-head">
        <h1 tabIndex={-1}>Settings</h1>
      </div>
      <section class="card padded stack">
        <h2>You</h2>
        <dl class="facts">
          <dt>Account</dt>
          <dd>{plain(mine?.account.name ?? '')}</dd>
          <dt>Key</dt>
          <dd>
            {plain(mine?.name ?? '')} <code class="muted">{mine?.label}</code>
          </dd>
          <dt>Role</dt>
          <dd>{roles[mine?.role ?? 'key']}</dd>
          {mine?.may_write === false && (
            <>
              <dt>Changes</dt>
              <dd>none: the key may only read</dd>
            </>
          )}
        </dl>
      </section>
      <Appearance />
      <Sessions id={session.value?.id ?? ''} />
      {mine?.role === 'operator' && <Configuration />}
    </div>
  );
}

function Appearance() {
  const { theme, zone, density, exact, shortcuts } = preferences.value;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
  return (
    <section class="card padded stack">
      <h2>This browser</h2>
      <label class="label">
        Theme
        <select
          class="select"
          value={theme}
          onChange={({ currentTarget }) => prefer({ theme: currentTarget.value as Preferences['theme'] })}
        >
          <option value="system">as the system</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
      <label class="label">
        Time zone
        <select
          class="select"
          value={zone ?? ''}
          onChange={({ currentTarget }) => prefer({ zone: currentTarget.value || undefined })}
        >
          <option value="">the browser's ({own})</option>
          <option value="UTC">UTC</option>
          {Intl.supportedValuesOf('timeZone').map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span class="hint">Limits and budgets follow days of {limitZone}.</span>
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={density === 'compact'}
          onChange={() => prefer({ density: density === 'compact' ? 'comfortable' : 'compact' })}
        />
        Compact rows in all lists
      </label>
      <label class="row">
        <input type="checkbox" checked={exact} onChange={() => prefer({ exact: !exact })} />
        Exact amounts, to the nano-dollar
      </label>
      <label class="row">
        <input type="checkbox" checked={shortcuts} onChange={() => prefer({ shortcuts: !shortcuts })} />
        Single keys work as shortcuts
      </label>
    </section>
  );
}
