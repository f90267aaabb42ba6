/** The sign of the gateway, as style/icon.svg shows it. Drawn in the page: a picture would be a document of its own to load. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2f55e6" />
      <path d="M9 8v16M23 8v16M9 16h14" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" />
    </svg>
  );
}
