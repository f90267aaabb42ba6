import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { MenuList } from './menu-list.tsx';

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
      <MenuList id={id} anchor={anchor}>
        {children}
      </MenuList>
    </>
  );
}
