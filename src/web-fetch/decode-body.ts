/**
 * The text of a body in the coding that its header or the page itself names; UTF-8 otherwise.
 * @param named The coding that the header names.
 */
export function decodeBody(body: Uint8Array, named: string | undefined): string {
  const head = headOf(body);
  const label = named ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** The first characters of a body, for looks at its kind. */
export function headOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 1024)).toString('latin1');
}
