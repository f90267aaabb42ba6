import { useEffect, useRef, useState } from 'preact/hooks';
import { MenuList } from '../../parts/menu-list.tsx';
import { isShortcut } from '../../state/typing.ts';
import { href } from '../../state/url.ts';
import type { CallRow } from './use-calls.ts';

interface RowActionsProps {
  /** The row that is marked. */
  readonly row: CallRow | undefined;
  readonly filters: Readonly<Record<string, string>>;
}

/** What can be done with the marked request, opened at its row by `.`; an open detail has actions of its own. */
export function RowActions({ row, filters }: RowActionsProps) {
  // Each opening has a number: one that closes must not take the next one along, which may come before its event.
  const [opened, setOpened] = useState<number>();
  const openings = useRef(0);
  const anchor = useRef<HTMLElement>(null);
  const begin = useRef<() => void>(() => {});
  begin.current = () => {
    const own = document.querySelector<HTMLElement>('.detail-head [aria-haspopup="true"]');
    if (own !== null) return own.click();
    if (row === undefined) return;
    anchor.current = document.getElementById(row.id)?.querySelector('a') ?? null;
    anchor.current?.focus({ preventScroll: true });
    openings.current += 1;
    setOpened(openings.current);
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '.' || !isShortcut(event)) return;
      event.preventDefault();
      begin.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  if (opened === undefined || row === undefined) return null;
  const onClose = () => setOpened((now) => (now === opened ? undefined : now));
  return (
    <MenuList key={opened} anchor={anchor} onClose={onClose}>
      <a href={href(`requests/${encodeURIComponent(row.id)}`, filters)}>Open</a>
      <a href={href(`requests/${encodeURIComponent(row.id)}`, { ...filters, tab: 'cost' })}>What it cost</a>
      <a href={href('requests', { model: row.model ?? row.requested_model })}>Other requests of the model</a>
      <a href={href('requests', { key: row.key_hash })}>Other requests of the key</a>
      <a href={href('requests', { ...filters, outcome: row.outcome })}>Others with this outcome</a>
    </MenuList>
  );
}
