/** To be filled. */
export function ModelsPage() {
  return <h1 tabIndex={-1}>models</h1>;
}
