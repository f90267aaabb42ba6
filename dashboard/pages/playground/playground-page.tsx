/** To be filled. */
export function PlaygroundPage() {
  return <h1 tabIndex={-1}>playground</h1>;
}
