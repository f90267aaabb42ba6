/** To be filled. */
export function ExplainPage() {
  return <h1 tabIndex={-1}>explain</h1>;
}
