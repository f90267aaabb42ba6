import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { get } from '../api/client.ts';
import { principal } from '../api/session-state.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useQuery } from '../state/query.ts';
import { go, href } from '../state/url.ts';
import { plain } from '../text/format.ts';
import { pages } from './pages.ts';

interface Hit {
  readonly title: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly to: string;
}

const mostHits = 12;

/** Searches pages, models, keys and pasted ids, and goes there. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const hits = useHits(text.trim());
  const chosen = Math.min(at, hits.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onClose();
    go(hit.to);
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
        aria-label="Search pages, models, keys, or paste an id"
        placeholder="Search pages, models, keys, or paste an id…"
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
            key={hit.to}
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
        {hits.length === 0 && <li class="muted">Nothing found. An id must be whole.</li>}
      </ul>
    </dialog>
  );
}

function useHits(text: string): readonly Hit[] {
  const mine = principal.value;
  const isManager = mine?.role !== 'key';
  const models = useQuery(['palette-models'], (signal) => get('/models', { signal }));
  const keys = useQuery(
    ['palette-keys'],
    (signal) => get('/keys', { query: { include_disabled: 'true' }, signal }),
    {
      enabled: isManager,
    },
  );
  const isId = /^(gen|req|resp)[-_]/.test(text);
  if (isId)
    return [
      { title: text, hint: 'Request', icon: 'requests', to: href(`requests/${encodeURIComponent(text)}`) },
    ];
  const all: Hit[] = [
    ...pages
      .filter(({ roles }) => roles.includes(mine?.role ?? 'key'))
      .map(({ title, path, icon }): Hit => ({ title, hint: 'Page', icon, to: href(path) })),
    ...(models.data?.data ?? []).map(
      ({ id, name }): Hit => ({
        title: plain(`${name} (${id})`),
        hint: 'Model',
        icon: 'models',
        to: href(`models/${encodeURIComponent(id)}`),
      }),
    ),
    ...(keys.data?.data ?? []).map(
      ({ hash, name, label }): Hit => ({
        title: plain(`${name} (${label})`),
        hint: 'Key',
        icon: 'keys',
        to: href(`keys/${hash}`),
      }),
    ),
  ];
  const words = text.toLowerCase().split(/\s+/);
  return all
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
    .slice(0, mostHits);
}
