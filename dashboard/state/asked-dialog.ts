import { choice, choose } from './url.ts';

/** A dialog that the address opens too, so that other pages can lead to it: whether it is open, and how to change that. */
export function askedDialog(name: string, value: string): [boolean, (isOpen: boolean) => void] {
  return [
    choice(name) === value,
    (isOpen) => choose({ [name]: isOpen ? value : undefined }, { replace: true }),
  ];
}
