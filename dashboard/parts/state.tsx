import type { ComponentChildren } from 'preact';
import { CallFailure, messageOf } from '../api/errors.ts';

type Tone = 'good' | 'warn' | 'bad' | 'muted';

const shapes: Readonly<Record<Tone, string>> = {
  good: 'M5 0a5 5 0 1 0 0 10A5 5 0 0 0 5 0z',
  warn: 'M5 0l5 9.500H0z',
  bad: 'M0 0h10v10H0z',
  muted: 'M5 1a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 1.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z',
};

/** A state: colour, shape and word, so that none of them is needed alone. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 10 10" aria-hidden="true" fill="currentColor">
        <path d={shapes[tone]} />
      </svg>
      {children}
    </span>
  );
}

/** What stands where there is nothing to show: why, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** What stands where something could not be loaded. Other parts of the page go on. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const id = error instanceof CallFailure ? error.requestId : undefined;
  return (
    <div class="empty" role="alert">
      <h2>This could not be loaded</h2>
      <p>{messageOf(error)}</p>
      {id !== undefined && (
        <p class="hint">
          Request <code>{id}</code>
        </p>
      )}
      <button type="button" class="button small" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

interface FailedPageProps {
  readonly title: string;
  readonly error: Error;
  readonly retry: () => void;
  /** A link to where somebody came from. */
  readonly back?: ComponentChildren;
}

/** A page of which nothing could be loaded: it still says what it is, and how to leave it. */
export function FailedPage({ title, error, retry, back }: FailedPageProps) {
  return (
    <div class="page">
      {back !== undefined && <p>{back}</p>}
      <h1 tabIndex={-1}>{title}</h1>
      <section class="card">
        <Failed error={error} retry={retry} />
      </section>
    </div>
  );
}

/** A frame of the final size while the first answer is awaited. */
export function Loading({ height = 160 }: { readonly height?: number }) {
  return <div class="loading" style={{ blockSize: `${height}px` }} role="status" aria-label="Loading" />;
}
