import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SearchResults } from '../../clients/headgate-api.ts';
import { get } from '../api/client.ts';
import { principal } from '../api/session-state.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useQuery } from '../state/query.ts';
import { go, href } from '../state/url.ts';
import { plain } from '../text/format.ts';
import { actions, keyDeed } from './actions.ts';
import { isShown, pages } from './pages.ts';

interface Hit {
  readonly title: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly run: () => void;
}

type Result = SearchResults['data'][number];

const mostHits = 20;

/** Searches pages, actions, pasted ids and names of what the key may see, and goes there or does it. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const { hits, isSearching } = useHits(text.trim());
  const chosen = Math.min(at, hits.length - 1);
  // Before the next frame, so that what is typed right after the chord arrives here.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onClose();
    hit.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((chosen + step + hits.length) % Math.max(1, hits.length));
    } else if (event.key === 'Enter') open(hits[chosen]);
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or jump"
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        class="palette-field"
        role="combobox"
        aria-expanded={true}
        aria-controls={`${id}-list`}
        aria-activedescendant={hits.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label="Search pages, actions, models, keys, or paste an id"
        placeholder="Search, do something, or paste an id…"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul class="palette-list" role="listbox" id={`${id}-list`} aria-label="Found">
        {hits.map((hit, index) => (
          <li
            key={`${index} ${hit.title}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(hit)}
          >
            <Icon name={hit.icon} />
            <span class="cut">{hit.title}</span>
            <span class="hint">{hit.hint}</span>
          </li>
        ))}
        {hits.length === 0 && (
          <li class="muted">{isSearching ? 'Searching…' : 'Nothing found. An id must be whole.'}</li>
        )}
      </ul>
    </dialog>
  );
}

/** Milliseconds of quiet before the server is asked. */
const quiet = 120;

const places: Readonly<
  Record<
    Result['kind'],
    readonly [hint: string, icon: IconName, to: (id: string, workspace: string | undefined) => string]
  >
> = {
  generation: ['Request', 'requests', (id) => href(`requests/${encodeURIComponent(id)}`)],
  session: ['Session', 'sessions', (id) => href(`request-sessions/${encodeURIComponent(id)}`)],
  key: ['Key', 'keys', (id) => href(`keys/${id}`)],
  model: ['Model', 'models', (id) => href(`models/${encodeURIComponent(id)}`)],
  provider: ['Provider', 'models', (id) => href('requests', { provider: id })],
  workspace: ['Workspace', 'workspaces', (id) => href(`workspaces/${id}`)],
  credential: ['Credential', 'credentials', () => href('credentials')],
  preset: ['Preset', 'presets', (id, of) => href(`presets/${encodeURIComponent(id)}`, { of })],
  guardrail: ['Guardrail', 'guardrails', (id) => href(`guardrails/${encodeURIComponent(id)}`)],
};

/** Pages of the role, actions, then what the server finds. */
function useHits(text: string): { readonly hits: readonly Hit[]; readonly isSearching: boolean } {
  const deed = keyDeed(text);
  const wanted = deed?.name ?? text;
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), quiet);
    return () => clearTimeout(timer);
  }, [wanted]);
  const found = useQuery(
    ['search', asked, principal.value?.n],
    async (signal) => (await get('/search', { query: { q: asked }, signal })).data,
    { enabled: asked !== '' },
  );
  const words = text.toLowerCase().split(/\s+/);
  const fits = (title: string) => words.every((word) => title.toLowerCase().includes(word));
  const isCurrent = asked === wanted && !found.isStale;
  const results = text === '' || !isCurrent ? [] : (found.data ?? []);
  const hits = [
    ...pages
      .filter((page) => isShown(page) && fits(`${page.title} ${page.alias}`))
      .map(({ title, path, icon }): Hit => ({ title, hint: 'Page', icon, run: () => go(href(path)) })),
    ...(text === '' ? [] : actions())
      .filter(({ title, words: also }) => fits(`${title} ${also}`))
      .map(({ title, icon, run }): Hit => ({ title, hint: 'Action', icon, run })),
    ...results.flatMap(({ kind, id, name, detail, workspace_id: of }): readonly Hit[] => {
      const [hint, icon, to] = places[kind];
      if (deed !== undefined) {
        if (kind !== 'key') return [];
        const title = `${deed.deed === 'rotate' ? 'Rotate' : 'Edit'} ${plain(name)}`;
        return [{ title, hint: 'Action', icon, run: () => go(href(`keys/${id}`, { do: deed.deed })) }];
      }
      return [
        {
          title: plain(name),
          hint: detail === null ? hint : `${hint} · ${plain(detail)}`,
          icon,
          run: () => go(to(id, of ?? undefined)),
        },
      ];
    }),
  ];
  return { hits: hits.slice(0, mostHits), isSearching: text !== '' && (!isCurrent || found.isLoading) };
}
