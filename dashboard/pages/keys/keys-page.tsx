/** To be filled. */
export function KeysPage() {
  return <h1 tabIndex={-1}>keys</h1>;
}
