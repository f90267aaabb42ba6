import { logOut } from '../api/session.ts';
import { mayChange, principal } from '../api/session-state.ts';
import type { IconName } from '../parts/icon.tsx';
import { prefer, preferences } from '../state/preferences.ts';
import { go, href } from '../state/url.ts';

/** Something that the palette does. */
export interface Action {
  readonly title: string;
  /** What else people call it. */
  readonly words: string;
  readonly icon: IconName;
  readonly run: () => void;
}

const opens = (page: string, choices?: Readonly<Record<string, string>>) => () => go(href(page, choices));

/** What whoever is logged in may do from anywhere. */
export function actions(): readonly Action[] {
  const isManager = principal.value?.role !== 'key';
  const { exact, density } = preferences.value;
  return [
    ...(isManager && mayChange('keys')
      ? [
          {
            title: 'New key',
            words: 'create make api',
            icon: 'plus',
            run: opens('keys', { make: 'key' }),
          } as const,
        ]
      : []),
    ...(isManager && mayChange('destinations')
      ? [
          {
            title: 'New destination',
            words: 'create make trace',
            icon: 'plus',
            run: opens('destinations', { make: 'destination' }),
          } as const,
        ]
      : []),
    {
      title: 'Failed requests',
      words: 'errors failures',
      icon: 'requests',
      run: opens('requests', { outcome: 'failed' }),
    },
    {
      title: 'Requests that were turned away',
      words: 'refused limits',
      icon: 'requests',
      run: opens('requests', { outcome: 'refused' }),
    },
    { title: 'Dark theme', words: 'night', icon: 'theme', run: () => prefer({ theme: 'dark' }) },
    { title: 'Light theme', words: 'day', icon: 'theme', run: () => prefer({ theme: 'light' }) },
    { title: 'Theme of the system', words: 'auto', icon: 'theme', run: () => prefer({ theme: 'system' }) },
    {
      title: exact ? 'Rounded amounts' : 'Exact amounts',
      words: 'money digits',
      icon: 'credits',
      run: () => prefer({ exact: !exact }),
    },
    {
      title: density === 'compact' ? 'Comfortable rows' : 'Compact rows',
      words: 'density',
      icon: 'settings',
      run: () => prefer({ density: density === 'compact' ? 'comfortable' : 'compact' }),
    },
    { title: 'Log out', words: 'sign leave exit', icon: 'user', run: () => void logOut() },
  ];
}

/** "Rotate" and the name of a key: what is looked for, and where a key that is found leads. */
export function keyDeed(
  text: string,
): { readonly name: string; readonly deed: 'rotate' | 'edit' } | undefined {
  const [, deed, name] = /^(rotate|edit)\s+(?:the\s+)?(?:key\s+)?(.+)$/i.exec(text) ?? [];
  if (deed === undefined || name === undefined || principal.value?.role === 'key' || !mayChange('keys'))
    return undefined;
  return { name, deed: deed.toLowerCase() === 'rotate' ? 'rotate' : 'edit' };
}
