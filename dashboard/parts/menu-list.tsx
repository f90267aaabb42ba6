import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { placeBelow } from './place-below.ts';

interface MenuListProps {
  readonly id?: string;
  /** What it opens at. */
  readonly anchor: RefObject<HTMLElement | null>;
  /** Called when the menu closes. A menu that has it is open from the start. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** The actions of a menu, over the page; arrows walk through them. */
export function MenuList({ id, anchor, onClose, children }: MenuListProps) {
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('a, button') ?? [])];
  useEffect(() => {
    if (onClose !== undefined) menu.current?.showPopover();
  }, []);
  const place = ({ newState }: { readonly newState: string }) => {
    if (newState !== 'open') return onClose?.();
    if (anchor.current === null || menu.current === null) return;
    placeBelow(anchor.current, menu.current);
    items()[0]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <div
      ref={menu}
      {...(id === undefined ? {} : { id })}
      popover="auto"
      class="menu"
      onToggle={place}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        event.stopPropagation();
        menu.current?.hidePopover();
      }}
    >
      {children}
    </div>
  );
}
