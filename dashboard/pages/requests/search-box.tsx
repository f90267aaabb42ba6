/** Goes to a request by its id, however old it is. */
export function SearchBox({ onFind }: { readonly onFind: (id: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    const id = form instanceof HTMLFormElement ? String(new FormData(form).get('id')).trim() : '';
    if (id !== '') onFind(id);
  };
  return (
    <form class="find" role="search" onSubmit={submit}>
      <input
        class="field"
        name="id"
        data-search
        aria-label="Open a request by its id"
        placeholder="Open by id: gen-…"
        autocomplete="off"
        spellcheck={false}
      />
    </form>
  );
}
