import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { interfaceRoot, principal, session } from '../api/session-state.ts';
import { Icon } from '../parts/icon.tsx';
import { Logo } from '../parts/logo.tsx';
import { Notice } from '../parts/notice.tsx';
import { FailedPage } from '../parts/state.tsx';
import { limitZone } from '../state/limit-calendar.ts';
import { zone } from '../state/preferences.ts';
import { choice, choose, href, path } from '../state/url.ts';
import { plain } from '../text/format.ts';
import { hourMinute } from '../text/time.ts';
import { AccountMenu } from './account-menu.tsx';
import { Connection } from './connection.tsx';
import { CopyCell } from './copy-cell.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keyboard.ts';
import { isShown, type Page, type PageProps, pageGroups, pages } from './pages.ts';
import { Palette } from './palette.tsx';
import { RangeChoice } from './range-choice.tsx';
import { SessionEnd } from './session-end.tsx';

/** Everything around a page. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [over, setOver] = useState<'palette' | 'help'>();
  const [name = '', id] = path.value.split('/').map(decodeURIComponent);
  const page = pages.find((one) => one.path === name);
  useKeys({ openPalette: () => setOver('palette'), openHelp: () => setOver('help') });
  useEffect(() => setOpen(false), [name]);
  const { features } = session.value ?? {};
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      {isOpen && (
        <button type="button" class="sheet-back" aria-label="Close the menu" onClick={() => setOpen(false)} />
      )}
      <Side page={page} isOpen={isOpen} onClose={() => setOpen(false)} />
      <div class="stage">
        <Bar
          hasRange={hasRange(page, id)}
          onMenu={() => setOpen(!isOpen)}
          onSearch={() => setOver('palette')}
        />
        <Connection />
        <Banners />
        <main class="main" id="main">
          {page === undefined ? (
            <NotFound />
          ) : (
            <PageFrame key={`${page.path} ${principal.value?.n}`} page={page} id={id} />
          )}
          <CopyCell />
          <Notice />
        </main>
        <footer class="foot">
          As of <Now /> · zone {zone()}, limits in {limitZone} · Headgate {features?.version}
        </footer>
      </div>
      {over === 'palette' && <Palette onClose={() => setOver(undefined)} />}
      {over === 'help' && <Help onClose={() => setOver(undefined)} />}
      <SessionEnd />
    </div>
  );
}

function hasRange(page: Page | undefined, id: string | undefined): boolean {
  if (page?.range === undefined) return false;
  return (
    page.range === 'page' ||
    id !== undefined ||
    (page.range.tab !== undefined && page.range.tab === choice('tab'))
  );
}

/** The time: pages ask again at least as often. */
function Now() {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  return hourMinute(now, zone());
}

function Side({
  page,
  isOpen,
  onClose,
}: {
  readonly page: Page | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  return (
    <aside class="side" data-open={isOpen ? '' : undefined}>
      <a class="brand" href={href('')}>
        <Logo />
        Headgate
      </a>
      <nav aria-label="Pages">
        {pageGroups.map((group) => {
          const shown = pages.filter((one) => one.group === group && isShown(one));
          return (
            shown.length > 0 && (
              <div key={group} class="nav-group" role="group" aria-label={group}>
                <span class="nav-title" aria-hidden="true">
                  {group}
                </span>
                {shown.map((one) => (
                  <a
                    key={one.path}
                    href={href(one.path)}
                    aria-current={one === page ? 'page' : undefined}
                    onClick={onClose}
                  >
                    <Icon name={one.icon} />
                    {one.title}
                  </a>
                ))}
              </div>
            )
          );
        })}
      </nav>
      <WorkspaceChoice place="sheet" />
      <p class="end muted">
        <a href={`${interfaceRoot()}docs`} target="_blank" rel="noreferrer">
          Interface reference <Icon name="outside" /> <span class="hidden">(opens in a new tab)</span>
        </a>
      </p>
    </aside>
  );
}

interface BarProps {
  /** Whether the page has a range of time. */
  readonly hasRange: boolean;
  readonly onMenu: () => void;
  readonly onSearch: () => void;
}

function Bar({ hasRange, onMenu, onSearch }: BarProps) {
  return (
    <header class="bar">
      <button type="button" class="button plain menu-button" aria-label="Menu" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <button type="button" class="button search-button" onClick={onSearch}>
        <Icon name="search" />
        <span class="words">Search or jump…</span>
        <kbd>{/mac/i.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <span class="gap" />
      <WorkspaceChoice place="bar" />
      {hasRange && <RangeChoice />}
      <AccountMenu />
    </header>
  );
}

/** What is unusual about the session. */
function Banners() {
  const features = session.value?.features;
  const said = [
    features?.read_only === true && 'Read-only: nothing can be changed here.',
    features?.insecure === true &&
      'This connection is not encrypted. Use HTTPS where others share the network.',
  ].filter((one) => one !== false);
  if (said.length === 0) return null;
  return (
    <aside aria-label="About this session">
      {said.map((text) => (
        <p key={text} class="banner">
          {text}
        </p>
      ))}
    </aside>
  );
}

/** Narrows every page to one workspace. It stands in the bar, on small screens in the sheet of pages. */
function WorkspaceChoice({ place }: { readonly place: 'bar' | 'sheet' }) {
  const { workspaces = [] } = principal.value ?? {};
  if (workspaces.length < 2) return null;
  return (
    <select
      class={`select workspace-in-${place}`}
      aria-label="Workspace"
      value={choice('workspace') ?? ''}
      onChange={({ currentTarget }) => choose({ workspace: currentTarget.value, accounts: undefined })}
    >
      <option value="">All workspaces</option>
      {workspaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {plain(name)}
        </option>
      ))}
    </select>
  );
}

/** A page, loaded when it is opened. Titles and focus follow it. */
function PageFrame({ page, id }: { readonly page: Page; readonly id: string | undefined }) {
  const [Shown, setShown] = useState<ComponentType<PageProps>>();
  const [failure, setFailure] = useState<Error>();
  const load = () => {
    setFailure(undefined);
    page.load().then((found) => setShown(() => found), setFailure);
  };
  useEffect(load, [page]);
  useEffect(() => {
    document.title = `${page.title} – Headgate`;
    if (Shown !== undefined) document.querySelector('h1')?.focus({ preventScroll: true });
  }, [page, Shown]);
  const role = principal.value?.role ?? 'key';
  if (page.roles.includes(role) && !isShown(page)) {
    return (
      <div class="page">
        <h1 tabIndex={-1}>{page.title} is not for your role</h1>
        <p>The key you are logged in with may not see this page. An owner of the account can say who may.</p>
      </div>
    );
  }
  if (!page.roles.includes(role)) {
    return (
      <div class="page">
        <h1 tabIndex={-1}>
          {page.title} needs a management key{page.roles.includes('manager') ? '' : ' of an operator'}
        </h1>
        <p>
          {role === 'key'
            ? 'You are logged in with an API key, which sees its own calls alone.'
            : 'Your key sees its own account alone. Operators are named in server.dashboard.operator_accounts.'}
        </p>
      </div>
    );
  }
  if (failure !== undefined) return <FailedPage title={page.title} error={failure} retry={load} />;
  return Shown === undefined ? null : <Shown id={id} />;
}

function NotFound() {
  return (
    <div class="page">
      <h1 tabIndex={-1}>There is no such page</h1>
      <p>
        <a href={href('')}>Go to the overview</a>
      </p>
    </div>
  );
}
