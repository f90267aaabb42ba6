import { computed, signal } from '@preact/signals';

/** The address of the page: everything that is chosen is in it, so that it can be shared and Back works. */
const address = signal(location.pathname + location.search);

addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
});

/** The path of the root of the dashboard. Whole lists of links are made with it, so it is read once. */
const root = new URL('..', document.baseURI).pathname;

/** The path below the root of the dashboard: `` for the overview, `requests/gen-1`. */
export const path = computed(() => {
  const [whole = ''] = address.value.split('?');
  return whole.slice(root.length).replace(/^ui\/?/, '');
});

export const params = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

/** What every page keeps when another one is opened. */
const lasting = ['range', 'from', 'to', 'as', 'workspace', 'compare'];

const lastingChoices = computed(() => [...params.value].filter(([name]) => lasting.includes(name)));

/** The address of a page with some of its choices; those that all pages share stay. */
export function href(page: string, choices: Readonly<Record<string, string | undefined>> = {}): string {
  const kept = new URLSearchParams(lastingChoices.value);
  for (const [name, value] of Object.entries(choices)) {
    if (value === undefined) kept.delete(name);
    else kept.set(name, value);
  }
  const query = kept.toString();
  return `${root}${page === '' ? '' : `ui/${page}`}${query === '' ? '' : `?${query}`}`;
}

/** Goes to an address of the dashboard. */
export function go(to: string, { replace = false } = {}): void {
  if (to === address.value) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  address.value = to;
}

/** Changes choices of this page; undefined takes one away. */
export function choose(
  choices: Readonly<Record<string, string | undefined>>,
  options: { readonly replace?: boolean } = {},
): void {
  const next = new URLSearchParams(params.value);
  for (const [name, value] of Object.entries(choices)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const query = next.toString();
  go(`${address.value.split('?')[0]}${query === '' ? '' : `?${query}`}`, options);
}

/** One choice of this page. */
export function choice(name: string): string | undefined {
  return params.value.get(name) ?? undefined;
}

/** Follows links of the dashboard without loading the page anew. */
export function followLinks(event: MouseEvent): void {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin)
    return;
  const below = link.pathname.slice(root.length);
  if (below !== '' && !/^ui(\/|$)/.test(below)) return;
  if (link.hash !== '') return;
  event.preventDefault();
  go(link.pathname + link.search);
}
