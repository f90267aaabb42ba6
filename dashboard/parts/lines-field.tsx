interface LinesFieldProps {
  readonly label: string;
  readonly name: string;
  /** Null or undefined for no restriction. */
  readonly values: readonly string[] | null | undefined;
  readonly hint: string;
}

/** A field with one entry a line; an empty one restricts nothing. */
export function LinesField({ label, name, values, hint }: LinesFieldProps) {
  return (
    <label class="label">
      {label}
      <textarea
        name={name}
        rows={2}
        defaultValue={values?.join('\n') ?? ''}
        placeholder="any"
        spellcheck={false}
      />
      <span class="hint">{hint}</span>
    </label>
  );
}
