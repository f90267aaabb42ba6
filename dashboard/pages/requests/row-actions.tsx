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
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLElement>(null);
  const begin = useRef<() => void>(() => {});
  begin.current = () => {
    const own = document.querySelector<HTMLElement>('.detail-head [aria-haspopup="true"]');
    if (own !== null) return own.click();
    if (row === undefined) return;
    anchor.current = document.getElementById(row.id)?.querySelector('a') ?? null;
    anchor.current?.focus({ preventScroll: true });
    setOpen(true);
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
  if (!isOpen || row === undefined) return null;
  return (
    <MenuList anchor={anchor} onClose={() => setOpen(false)}>
      <a href={href(`requests/${encodeURIComponent(row.id)}`, filters)}>Open</a>
      <a href={href(`requests/${encodeURIComponent(row.id)}`, { ...filters, tab: 'cost' })}>What it cost</a>
      <a href={href('requests', { model: row.model ?? row.requested_model })}>Other requests of the model</a>
      <a href={href('requests', { key: row.key_hash })}>Other requests of the key</a>
      <a href={href('requests', { ...filters, outcome: row.outcome })}>Others with this outcome</a>
    </MenuList>
  );
}
