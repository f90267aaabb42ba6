import { useEffect } from 'preact/hooks';
import { notice } from '../state/notice.ts';

const shownFor = 6_000;

/** The last notice, at the bottom of the window. It disappears after some seconds, or with Escape. */
export function Notice() {
  const { value } = notice;
  useEffect(() => {
    if (value === undefined) return;
    const hide = () => {
      notice.value = undefined;
    };
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && hide();
    const timer = setTimeout(hide, shownFor);
    addEventListener('keydown', onKeyDown);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', onKeyDown);
    };
  }, [value]);
  return (
    <p class="notice" role="status">
      {value?.text}
    </p>
  );
}
