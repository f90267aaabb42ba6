import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { placeBelow } from './place-below.ts';

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
  readonly buttonClass?: string;
}

/** A button that opens a list of actions, by the pattern of menu buttons. */
export function Menu({ label, button, children, buttonClass = 'button plain small' }: MenuProps) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('a, button') ?? [])];
  const place = ({ newState }: { readonly newState: string }) => {
    if (newState !== 'open' || anchor.current === null || menu.current === null) return;
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
    <>
      <button
        ref={anchor}
        type="button"
        class={buttonClass}
        aria-label={label}
        aria-haspopup="true"
        popovertarget={id}
        onClick={(event) => event.stopPropagation()}
      >
        {button}
      </button>
      <div
        ref={menu}
        id={id}
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
    </>
  );
}
