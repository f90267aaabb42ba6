/** The field for the secret of a credential. It is never filled in: nobody reads a stored one. */
export function SecretField() {
  return (
    <label class="label">
      Secret
      <textarea name="key" required rows={2} class="mono" spellcheck={false} autocomplete="off" />
      <span class="hint">
        An API key; for cloud providers the JSON that their page for credentials gives you
      </span>
    </label>
  );
}
