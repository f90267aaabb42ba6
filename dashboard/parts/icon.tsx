/** Paths of 24 by 24, drawn here. */
const paths = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  requests: 'M4 6h16M4 12h16M4 18h10',
  live: 'M3 12h4l3-8 4 16 3-8h4',
  sessions: 'M4 5h9M7 10h10M10 15h10M4 20h7',
  destinations: 'M4 12h11M11 8l4 4-4 4M14 4h6v16h-6',
  models: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  keys: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9M18 12v4M15 12v3',
  playground: 'M5 4h14a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-8l-5 4v-4H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z',
  explain: 'M6 4v6a4 4 0 0 0 4 4h8M14 10l4 4-4 4M6 20v-6',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  health:
    'M12 20s-8-4.800-8-10.500A4.500 4.500 0 0 1 12 7a4.500 4.500 0 0 1 8 2.500C20 15.200 12 20 12 20zM7 12h3l1.500-3 2 5 1-2H17',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  credits: 'M3 7h18v11H3zM3 11h18M7 15h3',
  workspaces: 'M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z',
  guardrails: 'M4 8h16M4 16h16M7 4v16M17 4v16',
  routers: 'M4 12h6l6-6h4M10 12l6 6h4M17 3l3 3-3 3M17 15l3 3-3 3',
  presets: 'M6 4h12v16l-6-4-6 4z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0ZM13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0ZM20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0Z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12l5 5 9-10',
  left: 'M14 6l-6 6 6 6',
  right: 'M10 6l6 6-6 6',
  plus: 'M12 5v14M5 12h14',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1.5-4 4.5-5 8-5s6.500 1 8 5',
  reload: 'M20 11a8 8 0 1 0-1 5M20 5v6h-6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  outside: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  stop: 'M7 7h10v10H7z',
  send: 'M4 12l16-8-5 16-3-7z',
  credentials: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z',
} as const;

export type IconName = keyof typeof paths;

/** A picture beside words; readers of screens pass over it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
